import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { call, upload } from '../support/client.ts'
import { metricsIn, textsWithMetrics } from '../support/deploy/expressions.ts'
import { eventually } from '../support/eventually.ts'
import { findProgram } from '../support/find-program.ts'
import { killProcesses, type StartedProcess, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

const PROCESSES = 2
const UPLOADS = 20
const UPLOAD = 'route="/api/datasets/v1/upload"'

let stack: TestStack
let web: WebProcess
let worker: StartedProcess
beforeAll(async () => {
  stack = await startTestStack({ env: { METRICS_PORT: '0', KEY_DATASETS_PER_DAY: '40' } })
  ;[web, worker] = await Promise.all([
    stack.startWeb({ WEB_CONCURRENCY: String(PROCESSES) }),
    stack.startWorker({ WORKER_HEALTH_PORT: '0' }),
  ])
  await web.waitForLog('all processes listen')
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await killProcesses()
})

/** Reads the page of a process as Prometheus does. */
async function scrape(process: StartedProcess, server = 'metrics are served') {
  const { port } = await process.waitForLog(server)
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  /** The sum of the series of a metric that have all of these labels. */
  const sum = (name: string, ...labels: string[]): number =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => labels.every((label) => line.includes(label)))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0)
  return { text, sum }
}

test('web counts requests, rejections, batches and limits, of all its processes', async () => {
  const statuses = await Promise.all(
    Array.from({ length: UPLOADS }, async () => {
      const { status } = await upload(web.url, stack.tenant.uploaderKey, anUpload())
      return status
    }),
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
  for (const path of ['/no/such/one', '/no/such/two']) await fetch(web.url + path)
  await fetch(`${web.url}/api/datasets/v1/upload`, { method: 'POST', body: '{' })
  const { sum } = await eventually(async () => {
    const page = await scrape(web) // a request is counted once its response has ended
    expect(page.sum('inkling_http_requests_total', UPLOAD, 'status="2xx"')).toBe(UPLOADS)
    expect(page.sum('inkling_limit_used_ratio', 'limit="key-datasets"')).toBeGreaterThan(0)
    return page
  })
  expect(sum('inkling_http_requests_total', UPLOAD, 'status="4xx"')).toBe(1)
  expect(sum('inkling_http_requests_total', UPLOAD, 'status="5xx"')).toBe(0)
  expect(sum('inkling_http_requests_total', 'route="unmatched",method="GET",status="4xx"')).toBe(2)
  expect(sum('inkling_http_request_seconds_count', UPLOAD)).toBe(UPLOADS + 1)
  expect(sum('inkling_http_rejections_total', 'reason="route_not_found",limit=""')).toBe(2)
  expect(sum('inkling_http_rejections_total', 'reason="unauthenticated"')).toBe(1)
  expect(sum('inkling_upload_batch_datasets_sum')).toBe(UPLOADS)
  expect(sum('inkling_upload_commit_seconds_count')).toBe(sum('inkling_upload_batch_datasets_count'))
  expect(sum('inkling_limit_used_ratio', 'limit="key-datasets"')).toBeLessThanOrEqual(UPLOADS / 40)
  expect(sum('inkling_postgres_pool_limit', 'pool="primary"')).toBe(10 * PROCESSES)
  expect(sum('inkling_web_processes')).toBe(PROCESSES)
  expect(sum('inkling_build_info')).toBe(1)
})

test('a worker counts datasets by the time from upload to settling, on both of its ports', async () => {
  await stack.untilProcessed(20_000)
  for (const server of ['metrics are served', 'health is served']) {
    const { sum } = await scrape(worker, server)
    expect(sum('inkling_dataset_settled_seconds_count')).toBe(UPLOADS)
    expect(sum('inkling_dataset_settled_seconds_bucket', 'le="60"')).toBe(UPLOADS)
    expect(sum('inkling_worker_datasets_total', 'outcome="ready"')).toBe(UPLOADS)
    expect(sum('inkling_event_loop_lag_seconds', 'statistic="max"')).toBeLessThan(20)
  }
})

test('counters do not fall when a process of web is killed', async () => {
  const before = await scrape(web)
  const [killed] = web.logged().flatMap(({ msg, pid }) => (msg === 'listening' ? [Number(pid)] : []))
  if (killed === undefined) throw new Error('No process listens')
  process.kill(killed, 'SIGKILL')
  const after = await vi.waitFor(async () => {
    const page = await scrape(web)
    expect(page.sum('inkling_web_process_exits_total')).toBe(1)
    return page
  }, 10_000)
  for (const name of [
    'inkling_http_requests_total',
    'inkling_http_request_seconds_count',
    'inkling_upload_batch_datasets_sum',
  ])
    expect(after.sum(name), name).toBe(before.sum(name))
})

const promtool = findProgram(['promtool'])

test.skipIf(promtool === undefined)('Prometheus accepts the names and types', async () => {
  for (const one of [web, worker]) {
    const { text } = await scrape(one)
    const { stderr, stdout } = spawnSync(promtool ?? '', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    })
    const ours = (stdout + stderr).split('\n').filter((line) => line !== '' && !line.startsWith('nodejs_'))
    expect(ours).toEqual([])
  }
})

test('each metric of an alert, an objective, the dashboard and the documents is served', async () => {
  const pages = await Promise.all([scrape(web), scrape(worker)])
  const types = new Map(
    pages.flatMap(({ text }) =>
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type] as const),
    ),
  )
  const isServed = (name: string) =>
    types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram'
  const named = textsWithMetrics.flatMap(metricsIn)
  expect(named.length).toBeGreaterThan(80)
  expect([...new Set(named)].filter((name) => !isServed(name))).toEqual([])
  const documented = new Set(metricsIn(textsWithMetrics.at(-1) ?? ''))
  expect([...types.keys()].filter((name) => name.startsWith('inkling_') && !documented.has(name))).toEqual([])
})

test('an upload whose client leaves after it has waited for 5 s is unanswered, and one whose client leaves at once is not', async () => {
  const other = await stack.startWeb()
  stack.postgres.freeze()
  const leaving = [2_000, 8_000].map((ms) =>
    expect(
      call(other.url, 'POST', '/api/datasets/v1/upload', {
        token: stack.tenant.uploaderKey,
        body: anUpload(),
        signal: AbortSignal.timeout(ms),
      }),
    ).rejects.toThrow('aborted due to timeout'),
  )
  await Promise.all(leaving)
  await eventually(async () => {
    const { sum } = await scrape(other)
    const counted = ['aborted', 'unanswered', '5xx'].map((status) =>
      sum('inkling_http_requests_total', UPLOAD, `status="${status}"`),
    )
    expect(counted).toEqual([1, 1, 0])
  })
  await stack.postgres.restore()
})
