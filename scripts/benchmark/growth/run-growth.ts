import { once } from 'node:events'
import { openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { QUEUE_NAME } from '../../../db/queue/job.ts'
import type { ProcessGroup } from '../../servers/process-group.ts'
import { readProcfile } from '../../servers/procfile.ts'
import { type Load, openLoad } from '../load/open-load.ts'
import { openStores, type Stores } from '../open-stores.ts'
import { openSystem, type System } from '../open-system.ts'
import { makeBenchSigningKey } from '../open-tenant.ts'
import { openUploadBodies } from '../open-upload-bodies.ts'
import { findPostmaster } from '../postgres-cpu.ts'
import { printElapsed } from '../print-elapsed.ts'
import { openSamples, type Samples } from '../samples.ts'
import { endConnections } from './end-connections.ts'
import { expectConsistent } from './expect-consistent.ts'
import { expectFreeDisk } from './expect-free-disk.ts'
import { fillDatabase } from './fill-database.ts'
import type { GrowthPlan } from './growth-plan.ts'
import { openCallMeter } from './measure-calls.ts'
import { measureMaintenance, measureRelease } from './measure-maintenance.ts'
import { measureQueue } from './measure-queue.ts'
import { measureDrain, measureReads, measureUploads, type RequestBench } from './measure-requests.ts'
import { measureStatements } from './measure-statements.ts'
import { expectFrequent, takeTemplates, writeFrequentUploads } from './templates.ts'

interface GrowthOptions {
  /** The project. */
  readonly root: string
  readonly plan: GrowthPlan
  readonly seed: string
  readonly data: string
}

/** The measurements with one number of datasets. */
export interface GrowthPoint {
  readonly datasets: number
  readonly samples: Samples
}

export interface GrowthOutcome {
  readonly points: readonly GrowthPoint[]
  readonly versions: Stores['versions']
}

/** Files of uploads: of templates, of measurements, and of the frequent device. */
interface Files {
  readonly small: string
  readonly typical: string
  readonly frequent: string
}

/** Fills a database to each size and measures the same work in it; `processes` stops the servers that it starts. */
export async function runGrowth(options: GrowthOptions, processes: ProcessGroup): Promise<GrowthOutcome> {
  const { plan, data, seed } = options
  const { signal } = processes
  printElapsed(expectFreeDisk(data, Math.max(...plan.sizes)))
  printElapsed('Generating uploads, unless they exist from an earlier run')
  const bodies = (size: 'small' | 'typical', count: number) =>
    openUploadBodies(data, { seed, size, count }, signal)
  const small = await bodies('small', plan.templates)
  const typical = await bodies('typical', plan.bodies)
  const files: Files = { small, typical, frequent: writeFrequentUploads(data, typical) }
  printElapsed('Starting Postgres and Redis')
  const stores = await openStores(data, processes)
  // it would begin at another time with each size
  await stores.query('alter system set autovacuum = off')
  await stores.query('select pg_reload_conf()')
  const load = openLoad(signal)
  const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason))
  const opened = new Set<System>()
  try {
    const points: GrowthPoint[] = []
    for (const [at, datasets] of plan.sizes.entries())
      points.push(
        await Promise.race([
          aborted,
          measureSize({ ...options, datasets, files, stores, load, opened, redisAt: at + 1 }, processes),
        ]),
      )
    return { points, versions: stores.versions }
  } finally {
    for (const system of opened) await system.close()
    load.close()
  }
}

interface SizeOptions extends GrowthOptions {
  readonly datasets: number
  readonly files: Files
  readonly stores: Stores
  readonly load: Load
  /** Systems to close at the end, or when the run is aborted. */
  readonly opened: Set<System>
  readonly redisAt: number
}

/** Databases of Redis: the last one is that of the relay, whose jobs must reach no worker. */
const RELAY_REDIS = 15

async function measureSize(options: SizeOptions, processes: ProcessGroup): Promise<GrowthPoint> {
  const { datasets, files, stores, load, opened, plan, root, data } = options
  const { signal } = processes
  const name = `growth_${datasets}`
  printElapsed(`${datasets.toLocaleString('en-US')} datasets: starting the service`)
  const url = await stores.createDatabase(name)
  const command = readProcfile(root)
  const system = await openSystem(
    {
      ...{ name: 'inkling', root, databaseUrl: url, redisUrl: stores.redisUrl(options.redisAt), logs: data },
      commands: { release: command('release'), web: command('web'), worker: command('worker') },
      tables: { datasets: 'datasets', insights: 'insights', requests: 'insight_requests' },
      queue: QUEUE_NAME,
      signingKey: await makeBenchSigningKey(),
      tokens: 1,
    },
    processes,
  )
  opened.add(system)
  const samples = openSamples()
  const { subscriptionId } = system.tenant
  const owner = openDatabase({ url, poolMax: 1 }, { unlimited: true })
  const templates = await takeTemplates(system, load, {
    ordinary: files.small,
    frequent: files.frequent,
    count: plan.templates,
  })
  const due = Math.min(plan.due, Math.floor(datasets / 10))
  const filling = { datasets, due, templates, subscriptionId, rivalId: system.rival.subscriptionId }
  await fillDatabase(owner, filling, signal)
  await expectConsistent(owner, datasets)
  const [stored] = await queryRows<{ bytes: number }>(
    owner,
    'select pg_database_size(current_database()) as bytes',
  )
  samples.add('stored: bytes', (stored?.bytes ?? Number.NaN) / datasets)
  await owner.destroy()

  const meter = await openCallMeter(url, samples)
  const bench: RequestBench = {
    ...{ plan, system, load, samples, meter, postmaster: await findPostmaster(meter.db) },
  }
  await endConnections(meter.db)
  printElapsed('Measuring searches, timelines, maintenance and release')
  await measureStatements(meter, subscriptionId, plan)
  await measureMaintenance(meter, plan, signal)
  await measureRelease(meter, { url, passes: plan.passes })
  await measureUploads(bench, undefined, files.typical)
  printElapsed('Measuring the queue')
  await endConnections(meter.db)
  await measureQueue(meter, plan, { url, redisUrl: stores.redisUrl(RELAY_REDIS) })
  await system.setWorkers(1)
  await measureDrain(bench, undefined)
  for (let round = 0; round < plan.rounds; round++) {
    printElapsed(`Measuring uploads, drains and reads, round ${round + 1} of ${plan.rounds}`)
    await queryRows(meter.db, 'checkpoint')
    await measureUploads(bench, 'accept', files.typical)
    await measureDrain(bench, 'drain')
    await measureUploads(bench, undefined, files.frequent)
    await measureDrain(bench, 'drain: frequent device')
    await expectFrequent(meter.db, templates, {
      filled: Math.floor((datasets + 6) / 10), // n ends in 3
      drained: (plan.uploads + plan.warmUps) * (round + 1),
    })
    await measureReads(bench, datasets)
  }
  await meter.close()
  opened.delete(system)
  await system.close()
  await stores.dropDatabase(name)
  return { datasets, samples }
}
