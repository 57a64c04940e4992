import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import pg from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { QUEUE_NAME } from '../../db/queue/job.ts'
import { openRedis } from '../../db/queue/open-redis.ts'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { recordResult } from '../support/faults/record-result.ts'
import { isLong } from '../support/faults/run-length.ts'
import { BACKENDS } from '../support/service.ts'
import { killProcesses, type StartedProcess, startProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

/** A worker process with its health port. */
interface WatchedWorker extends StartedProcess {
  ask(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; text: string }>
  /** Lists the readiness errors; empty if ready. */
  listErrors(): Promise<string[]>
  /** Reads a metric by name and labels. */
  readMetric(name: string): Promise<number>
}

async function startWatchedWorker(
  stack: TestStack,
  env: Record<string, string> = {},
): Promise<WatchedWorker> {
  const worker = await stack.startWorker({ WORKER_HEALTH_PORT: '0', ...env })
  const { port } = await worker.waitForLog('health is served')
  const ask: WatchedWorker['ask'] = async (path, init) => {
    // responses are fast, whatever the state of the stores
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      signal: AbortSignal.timeout(5_000),
      ...init,
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return {
    ...worker,
    ask,
    async listErrors() {
      const { status, text } = await ask('/readyz')
      const { errors = {} } = JSON.parse(text)
      expect(status).toBe(Object.keys(errors).length > 0 ? 503 : 200)
      return Object.keys(errors)
    },
    async readMetric(name) {
      const { text } = await ask('/metrics')
      const line = text.split('\n').find((one) => one.startsWith(`${name} `))
      if (line === undefined) throw new Error(`No metric ${name} in:\n${text}`)
      return Number(line.slice(name.length + 1))
    },
  }
}

/** Waits for the given readiness errors. @returns the elapsed milliseconds. */
async function untilErrors(
  worker: WatchedWorker,
  faults: readonly string[],
  withinMs: number,
): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const found = await worker.listErrors()
    const ms = performance.now() - startedAt
    if (String(found) === String(faults)) return ms
    if (ms > withinMs) throw new Error(`After ${ms} ms its errors are ${found}:\n${worker.output()}`)
    await delay(100)
  }
}

async function uploadSome(stack: TestStack, url: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    expect((await upload(url, stack.tenant.uploaderKey, anUpload())).status).toBe(200)
}

/** Locks all datasets, like a forgotten session of an operator. */
async function holdDatasets(stack: TestStack): Promise<AsyncDisposable> {
  const client = new pg.Client(stack.postgres.url)
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin')
  await client.query('select from datasets for update')
  return { [Symbol.asyncDispose]: () => client.end() }
}

const logged = (worker: StartedProcess, message: string) =>
  worker.logged().filter(({ msg }) => msg === message)

/** Expects the worker to be stuck while the datasets are locked, and no longer once they are released. */
async function expectStuckWhileHeld(
  stack: TestStack,
  env: Record<string, string>,
  { stuckWithinMs, heldMs }: { stuckWithinMs: number; heldMs: number },
): Promise<number> {
  const web = await stack.startWeb()
  await uploadSome(stack, web.url, 3)
  const held = await holdDatasets(stack)
  const heldAt = performance.now()
  const worker = await startWatchedWorker(stack, env)
  expect(await worker.listErrors()).toEqual([])
  expect(await worker.readMetric('inkling_worker_stuck')).toBe(0)
  const tookMs = await untilErrors(worker, ['stuck'], stuckWithinMs)

  // also while a claim that timed out after 15 s is retried
  while (performance.now() - heldAt < heldMs) {
    expect(await worker.listErrors()).toEqual(['stuck'])
    await delay(200)
  }
  expect((await worker.ask('/healthz')).status).toBe(200)
  expect(await worker.readMetric('inkling_worker_stuck')).toBe(1)
  expect(await worker.readMetric('inkling_datasets_waiting')).toBe(3)
  expect(await worker.readMetric('inkling_datasets_waiting_oldest_seconds')).toBeGreaterThan(
    heldMs / 1_000 - 1,
  )
  expect(await worker.readMetric('inkling_worker_datasets_total{outcome="ready"}')).toBe(0)
  expect(logged(worker, 'stuck')).toMatchObject([{ level: 50, reason: expect.any(String) }])
  expect(logged(worker, 'no longer stuck')).toEqual([])

  await held[Symbol.asyncDispose]()
  await stack.expireEnqueueTimeouts()
  await stack.untilProcessed(40_000)
  await untilErrors(worker, [], 10_000)
  expect(await worker.readMetric('inkling_worker_stuck')).toBe(0)
  expect(await worker.readMetric('inkling_datasets_waiting')).toBe(0)
  expect(await worker.readMetric('inkling_datasets_waiting_oldest_seconds')).toBe(0)
  expect(await worker.readMetric('inkling_worker_datasets_total{outcome="ready"}')).toBe(3)
  await worker.waitForLog('no longer stuck')
  await uploadSome(stack, web.url, 3)
  await stack.untilProcessed(10_000)
  expect(await worker.listErrors()).toEqual([])
  expect(logged(worker, 'stuck')).toHaveLength(1)
  expect(logged(worker, 'no longer stuck')).toHaveLength(1)
  return tookMs
}

describe.concurrent('a worker that is alive but makes no progress', { timeout: 120_000 }, () => {
  test.each(BACKENDS)('reports it while its datasets are locked, with the queue on %s', async (backend) => {
    await using stack = await startTestStack({ backend })
    await expectStuckWhileHeld(
      stack,
      { WORKER_STUCK_SECONDS: '3' },
      { stuckWithinMs: 15_000, heldMs: 20_000 },
    )
  })

  test.runIf(isLong)('reports it within 2 minutes by default', { timeout: 400_000 }, async () => {
    await using stack = await startTestStack()
    const tookMs = await expectStuckWhileHeld(stack, {}, { stuckWithinMs: 120_000, heldMs: 180_000 })
    const seconds = Math.round(tookMs / 1_000)
    recordResult({
      fault: `Datasets locked for 3 min: the worker is not ready after ${seconds} s`,
      uploads: 6,
      kills: 1,
      lost: 0,
    })
  })

  test('reports it if jobs wait in the queue and it can take none', async () => {
    await using stack = await startTestStack()
    const web = await stack.startWeb()
    // a job that another worker never finishes, in a queue with a global concurrency of 1
    const connection = openRedis({ url: stack.redis.url }, { failFast: false })
    const otherConnection = openRedis({ url: stack.redis.url }, { failFast: false })
    const queue = new Queue(QUEUE_NAME, { connection })
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const other = new Worker(
      QUEUE_NAME,
      () => {
        take()
        return ended
      },
      { connection: otherConnection },
    )
    await uploadSome(stack, web.url, 1)
    await taken
    await queue.setGlobalConcurrency(1)

    const worker = await startWatchedWorker(stack, { WORKER_STUCK_SECONDS: '3' })
    await uploadSome(stack, web.url, 2)
    await untilErrors(worker, ['stuck'], 20_000)
    expect(await worker.waitForLog('stuck')).toMatchObject({ reason: 'work waits and no job ends' })
    end()
    await queue.removeGlobalConcurrency()
    await other.close()
    await stack.expireEnqueueTimeouts()
    await stack.untilProcessed(20_000)
    await untilErrors(worker, [], 10_000)
    await queue.close()
    for (const one of [connection, otherConnection]) one.disconnect()
  })

  test('is not reported for a dataset that fails repeatedly', async () => {
    await using stack = await startTestStack()
    await stack.owner.raw(`
      create function poison() returns trigger language plpgsql as $$ begin raise exception 'poisoned'; end $$;
      create trigger poison before insert on insights for each row execute function poison();
    `)
    const web = await stack.startWeb()
    const worker = await startWatchedWorker(stack, { WORKER_STUCK_SECONDS: '12' })
    await uploadSome(stack, web.url, 1)
    for (const deadline = performance.now() + 32_000; performance.now() < deadline; await delay(250))
      expect(await worker.listErrors()).toEqual([])
    const failed = 'inkling_worker_datasets_total{outcome="failed"}'
    expect(await worker.readMetric(failed)).toBeGreaterThanOrEqual(5)
    expect(await stack.countWaiting()).toBe(1)
    expect(logged(worker, 'stuck')).toEqual([])
  })
})

describe.concurrent("a worker's health port", { timeout: 60_000 }, () => {
  test('serves metrics of processed datasets', async () => {
    await using stack = await startTestStack()
    const [web, worker] = await Promise.all([stack.startWeb(), startWatchedWorker(stack)])
    await uploadSome(stack, web.url, 5)
    const noCapture = { ...anUpload(), data: Buffer.from('no capture').toString('base64') }
    expect((await upload(web.url, stack.tenant.uploaderKey, noCapture)).status).toBe(200)
    await stack.untilProcessed(10_000)
    const { status, headers, text } = await worker.ask('/metrics')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    for (const line of text.split('\n').filter(Boolean))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? \S+)$/)
    expect(await worker.readMetric('inkling_worker_datasets_total{outcome="ready"}')).toBe(5)
    expect(await worker.readMetric('inkling_worker_datasets_total{outcome="invalid"}')).toBe(1)
    expect(await worker.readMetric('inkling_worker_datasets_total{outcome="failed"}')).toBe(0)
    const groups = await worker.readMetric('inkling_worker_group_seconds_count')
    expect(groups).toBeGreaterThan(0)
    expect(await worker.readMetric('inkling_worker_jobs_total{outcome="done"}')).toBeGreaterThanOrEqual(
      groups,
    )
    expect(await worker.readMetric('inkling_worker_jobs_total{outcome="failed"}')).toBe(0)
    expect(await worker.readMetric('process_resident_memory_bytes')).toBeGreaterThan(1e6)
    expect(await worker.readMetric('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0)
  })

  test('reports unavailable stores within seconds, even if they do not respond', async () => {
    await using stack = await startTestStack()
    const worker = await startWatchedWorker(stack)
    expect(await worker.listErrors()).toEqual([])
    stack.postgres.freeze()
    await untilErrors(worker, ['postgres'], 10_000)
    expect(await worker.readMetric('inkling_datasets_waiting')).toBeNaN()
    expect(await worker.readMetric('inkling_worker_stuck')).toBe(0)
    await stack.postgres.restore()
    await untilErrors(worker, [], 30_000)
    await stack.redis.cut()
    await untilErrors(worker, ['queue'], 10_000)
    await stack.postgres.cut()
    await untilErrors(worker, ['postgres', 'queue'], 10_000)
    expect((await worker.ask('/healthz')).status).toBe(200)
    await Promise.all([stack.redis.restore(), stack.postgres.restore()])
    await untilErrors(worker, [], 30_000)
  })

  test('reports that the worker drains', async () => {
    await using stack = await startTestStack()
    const web = await stack.startWeb()
    await uploadSome(stack, web.url, 1)
    await using _held = await holdDatasets(stack)
    const worker = await startWatchedWorker(stack)
    await vi.waitFor(async () => {
      const sql =
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      expect((await stack.db.raw(sql)).rows).toHaveLength(1)
    }, 10_000)
    const ended = worker.end('SIGTERM')
    await untilErrors(worker, ['draining'], 4_000)
    expect((await ended).signal).toBeNull()
  })

  test('has no other routes', async () => {
    await using stack = await startTestStack()
    const worker = await startWatchedWorker(stack)
    expect((await worker.ask('/')).status).toBe(404)
    expect((await worker.ask('/readyz?verbose')).status).toBe(200)
    const { status, headers } = await worker.ask('/metrics', { method: 'POST', body: 'x' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await worker.ask('/healthz', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })

  test('that is in use ends the worker with a message; without WORKER_HEALTH_PORT no port is opened', async () => {
    await using stack = await startTestStack()
    const taken = createServer().listen(0)
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const worker = startProcess('worker', { ...stack.env, WORKER_HEALTH_PORT: String(port) })
    expect(await worker.ended).toMatchObject({ code: 1 })
    expect(worker.logged().at(-1)).toMatchObject({ level: 60, msg: `Cannot listen on port ${port}` })
    taken.close()
    expect(logged(await stack.startWorker(), 'health is served')).toEqual([])
  })
})
