import { setTimeout as delay } from 'node:timers/promises'
import { createApiKey } from '../../db/accounts/api-keys.ts'
import { queryRows } from '../../db/postgres/database.ts'
import { type Bench, rotate } from './bench.ts'
import { expectAllReady } from './expect-all-accepted.ts'
import { CONNECTIONS } from './measure-accept.ts'
import { startCpu } from './measure-cpu.ts'
import type { System } from './open-system.ts'
import { medianOf } from './samples.ts'
import { waitUntilSettled } from './wait-until-settled.ts'

/** Whether a webhook receives the events of the datasets. */
export type WebhookUse = 'without' | 'with'

const PREFIX = 'deliver'
const LOOK_EVERY_MS = 50
const PATIENCE_MS = 60_000
/** Uploads that are sent one at a time, each when all events of the one before are delivered, to measure the time until its events arrive. */
const IDLE_UPLOADS = 50
/** Of a dataset: received and ready. */
const EVENTS_OF_UPLOAD = 2

/**
 * Drains in pairs without and with a webhook to a fast receiver, each of which goes first in turn; then delivers all of its events once more, and
 * those of uploads of which only one is under way at a time.
 */
export async function measureDeliver(bench: Bench, system: System): Promise<void> {
  await system.setWorkers(1)
  for (let pair = 0; pair < bench.plan.deliverPairs; pair++)
    for (const use of rotate<WebhookUse>(['without', 'with'], pair)) {
      await system.pause()
      await system.reset()
      const webhook = use === 'with' ? await openWebhook(bench, system) : undefined
      await drain(bench, system, use)
      if (!webhook) continue
      await webhook.untilDelivered()
      await measureReplay(bench, webhook)
      await measureIdleDelivery(bench, system, webhook)
    }
  await system.pause()
  await system.reset()
}

async function upload(
  { load, files }: Bench,
  system: System,
  { count, connections = 1, prefix = PREFIX }: { count: number; connections?: number; prefix?: string },
) {
  const result = await load.run({
    port: system.port,
    requests: system.uploads(files.typical, prefix),
    pace: { kind: 'closed', connections, count },
  })
  if (result.ok !== count) throw new Error(`${count - result.ok} of ${count} uploads were not accepted`)
}

async function drain(bench: Bench, system: System, use: WebhookUse): Promise<void> {
  const count = bench.plan.deliverDatasets
  await upload(bench, system, { count, connections: CONNECTIONS })
  const addCpu = startCpu(bench, 'inkling-worker')
  const startedAt = Date.now()
  await system.resume()
  const settledAt = await waitUntilSettled(system)
  addCpu(`deliver ${use}`, count)
  await expectAllReady(system, count)
  const perSecond = (count / ((settledAt.at(-1) ?? Number.NaN) - startedAt)) * 1_000
  bench.samples.add(`deliver ${use}: drainPerSecond`, perSecond)
  bench.printProgress(`drain ${use} a webhook: ${Math.round(perSecond)}/s`)
}

/** A webhook whose receiver is the Koa ceiling, which reads and parses each message. */
interface BenchWebhook {
  /** Resolves when it has received all events, at least so many, and all of a replay. */
  untilDelivered(atLeast?: number): Promise<void>
  /** Counts all events, delivered or not. */
  countEvents(): Promise<number>
  /** Has all events delivered again. @returns their number. */
  replay(): Promise<number>
  /** Milliseconds from the commit of each logged event of this type to its answer. */
  listLatencies(type: string): Promise<number[]>
}

async function openWebhook({ koaPort }: Bench, { db, port, tenant }: System): Promise<BenchWebhook> {
  const { subscriptionId } = tenant
  const { key } = await createApiKey(db, { subscriptionId, scopes: ['webhooks:manage'] })
  const call = async (path: string, body: object) => {
    const response = await fetch(`http://localhost:${port}/api/webhooks/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok)
      throw new Error(`A webhook request was answered ${response.status}: ${await response.text()}`)
    return response
  }
  const created = await call('', { url: `http://localhost:${koaPort}/hooks`, label: 'benchmark' })
  const { id } = (await created.json()) as { id: number }
  const count = async (condition: string) => {
    const [row] = await queryRows<{ count: number }>(
      db,
      `select count(*)::int as count from events e join webhooks w on w.subscription_id = e.subscription_id
       where e.subscription_id = ? and w.id = ? and ${condition}`,
      [subscriptionId, id],
    )
    return row?.count ?? 0
  }
  const countEvents = () => count('true')
  return {
    async untilDelivered(atLeast = 0) {
      const deadline = performance.now() + PATIENCE_MS
      while (
        (await countEvents()) < atLeast ||
        (await count('((e.position, e.id) > (w.position, w.event_id) or w.replay_position is not null)')) > 0
      ) {
        if (performance.now() > deadline) throw new Error('The webhook did not receive all events')
        await delay(LOOK_EVERY_MS)
      }
    },
    countEvents,
    async replay() {
      const [since, until] = [new Date(Date.now() - 3_600_000), new Date()].map((date) => date.toISOString())
      await call(`/${id}/replay`, { since, until })
      return countEvents()
    },
    async listLatencies(type) {
      const rows = await queryRows<{ ms: number }>(
        db,
        `select extract(epoch from d.at - e.at)::float * 1000 + d.ms as ms
         from webhook_deliveries d join events e on e.subscription_id = d.subscription_id and e.public_id = d.event_public_id
         where d.subscription_id = ? and d.webhook_id = ? and d.type = ? and d.outcome = 'delivered'
         order by d.id desc limit ?`,
        [subscriptionId, id, type, IDLE_UPLOADS],
      )
      return rows.map(({ ms }) => ms)
    },
  }
}

async function measureReplay(bench: Bench, webhook: BenchWebhook): Promise<void> {
  const { samples, printProgress } = bench
  const addCpu = startCpu(bench, 'inkling-worker')
  const startedAt = performance.now()
  const events = await webhook.replay()
  await webhook.untilDelivered()
  addCpu('deliver replay', events)
  const perSecond = (events / (performance.now() - startedAt)) * 1_000
  samples.add('deliver replay: perSecond', perSecond)
  printProgress(`${events} events delivered again: ${Math.round(perSecond)}/s`)
}

async function measureIdleDelivery(bench: Bench, system: System, webhook: BenchWebhook): Promise<void> {
  const before = await webhook.countEvents()
  for (let n = 0; n < IDLE_UPLOADS; n++) {
    await upload(bench, system, { count: 1, prefix: `${PREFIX}-idle-${n}-` })
    await webhook.untilDelivered(before + EVENTS_OF_UPLOAD * (n + 1))
  }
  const latencies = await webhook.listLatencies('dataset.ready')
  const p50 = medianOf(latencies)
  bench.samples.add('deliver idle: p50Ms', p50)
  bench.printProgress(`settled to delivered: p50 ${p50.toFixed(1)} ms`)
}
