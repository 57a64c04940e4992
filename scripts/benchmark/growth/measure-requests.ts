import { queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'
import { expectNoFailure } from '../expect-all-accepted.ts'
import { type LoadResult, type Requests, scatteredReference } from '../load/load-plan.ts'
import type { Load } from '../load/open-load.ts'
import { CONNECTIONS } from '../measure-accept.ts'
import { startCpu } from '../measure-cpu.ts'
import type { System } from '../open-system.ts'
import type { Samples } from '../samples.ts'
import { endConnections } from './end-connections.ts'
import { FILLED } from './fill-database.ts'
import type { GrowthPlan } from './growth-plan.ts'
import { type CallMeter, readPagesTouched } from './measure-calls.ts'
import { noteTimes } from './note-times.ts'
import { waitUntil } from './wait-until.ts'

/** What requests are measured with: a filled system whose workers process nothing until they are resumed. */
export interface RequestBench {
  readonly plan: GrowthPlan
  readonly system: System
  readonly load: Load
  readonly samples: Samples
  readonly meter: CallMeter
  readonly postmaster: number
}

let uploadsSent = 0

/** Uploads captures, which then wait, and adds what an upload costs, unless `name` is undefined. */
export async function measureUploads(
  bench: RequestBench,
  name: string | undefined,
  file: string,
): Promise<void> {
  const { system, plan } = bench
  await system.pause()
  const requests = (): Requests => ({
    kind: 'uploads',
    file,
    prefix: `growth${++uploadsSent}`,
    key: system.tenant.uploaderKey,
    scattered: true,
  })
  await measureLoad(bench, name, requests, plan.uploads)
}

/** Reads insights that are spread over all filled datasets. */
export async function measureReads(bench: RequestBench, datasets: number): Promise<void> {
  const { system, plan } = bench
  // of hundreds, those that are ordinary
  const numberOf = (n: number) => Math.floor((n * datasets) / plan.reads / 100) * 100 + 4 + ((n * 7) % 9) * 10
  const paths = Array.from({ length: plan.reads }, (_, n) => numberOf((n * 7_919) % plan.reads))
    .filter((n) => n < datasets)
    .map((n) => `/v6.0/datasets/${scatteredReference(FILLED, n)}/datasetinsight`)
  const requests = (): Requests => ({ kind: 'get', paths, tokens: system.tenant.tokens.slice(0, 1) })
  await measureLoad(bench, 'read', requests, plan.reads)
}

/** Runs a load after a shorter one and adds the processor time, pages and latencies of a request. */
async function measureLoad(
  bench: RequestBench,
  name: string | undefined,
  requests: () => Requests,
  count: number,
): Promise<void> {
  const { system, load, samples, meter, plan } = bench
  const send = async (requests: Requests, count: number): Promise<LoadResult> => {
    const pace = { kind: 'closed', connections: CONNECTIONS, count } as const
    const result = await load.run({ port: system.port, requests, pace })
    expectNoFailure(name ?? 'uploads', result)
    if (result.ok !== count) throw new Error(`${count - result.ok} requests were rejected`)
    return result
  }
  await endConnections(meter.db)
  const pagesBefore = await readPagesTouched(meter.db)
  await send(requests(), plan.warmUps)
  const addCpu = startCpu(bench, 'inkling-web')
  const { p50Ms, p99Ms } = await send(requests(), count)
  if (name === undefined) return
  addCpu(name, count)
  samples.add(`${name}: p50Ms`, p50Ms)
  samples.add(`${name}: p99Ms`, p99Ms)
  await endConnections(meter.db)
  const pages = (await readPagesTouched(meter.db)) - pagesBefore
  samples.add(`${name}: pages`, pages / (plan.warmUps + count))
}

/** Lets the worker process what waits, and adds what a dataset costs, unless `name` is undefined. */
export async function measureDrain(bench: RequestBench, name: string | undefined): Promise<void> {
  const { system, samples, meter } = bench
  const { db } = meter
  const [{ waiting, first } = { waiting: 0, first: 0 }] = await queryRows<{ waiting: number; first: number }>(
    db,
    sql`select count(*)::int as waiting, min(id) as first from datasets where ring_at is not null`,
  )
  await endConnections(db)
  const pagesBefore = await readPagesTouched(db)
  const addCpu = startCpu(bench, 'inkling-worker')
  await system.resume()
  await waitUntil(db, sql`select where not exists (select from datasets where ring_at is not null)`)
  if (name === undefined) return
  addCpu(name, waiting)
  await endConnections(db)
  samples.add(`${name}: pages`, ((await readPagesTouched(db)) - pagesBefore) / waiting)
  const times = await queryRows<{ ms: number }>(
    db,
    sql`select extract(epoch from at - claimed_at)::float * 1000 as ms from dataset_events
        where subscription_id = ${system.tenant.subscriptionId} and dataset_id >= ${first} and event = 'ready'`,
  )
  if (times.length !== waiting) throw new Error(`Of ${waiting} datasets, ${times.length} are ready`)
  noteTimes(
    samples,
    name,
    times.map(({ ms }) => ms),
  )
}
