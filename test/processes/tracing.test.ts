import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { PLAIN_VAULT } from '../../db/encryption/vault.ts'
import { createWebhook } from '../../db/events/webhooks.ts'
import { serviceVersion } from '../../db/runtime/version.ts'
import { anActor } from '../support/actors.ts'
import { anUpload } from '../support/captures.ts'
import { call } from '../support/client.ts'
import { openCollector, type ReceivedSpan } from '../support/otlp-collector.ts'
import { openReceiver } from '../support/receiver.ts'
import { killProcesses, type LogEntry } from '../support/start-process.ts'
import { startTestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

const INTERNAL = 1
const SERVER = 2
const CLIENT = 3
const PRODUCER = 4
const CONSUMER = 5

/** A trace that a caller has begun. */
function aTrace(flags = '01') {
  const traceId = randomBytes(16).toString('hex')
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}` }
}

test('one trace leads from an upload through its batch to the read of its insight; what is not sampled is recorded nowhere', {
  timeout: 90_000,
}, async () => {
  await using collector = await openCollector()
  await using receiver = await openReceiver()
  await using stack = await startTestStack({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' },
  })
  const { uploaderKey, requesterKey, subscriptionId } = stack.tenant
  await createWebhook(
    { db: stack.db, vault: PLAIN_VAULT },
    {
      subscriptionId,
      actor: anActor('admin'),
      url: receiver.url,
      label: 'backend',
      types: ['dataset.ready'],
    },
  )
  const [web, worker] = await Promise.all([
    stack.startWeb(),
    stack.startWorker({ OTEL_TRACES_SAMPLER_ARG: '1' }), // of webhooks, which begin traces of their own
  ])
  const send = (body: object, traceparent?: string) =>
    call(web.url, 'POST', '/api/datasets/v1/upload', {
      token: uploaderKey,
      body,
      ...(traceparent !== undefined && { headers: { traceparent } }),
    })

  // the first pass of the relay, with a Redis that is new, enqueues again what waits: that job has no trace
  expect((await send(anUpload())).status).toBe(200)
  await stack.untilProcessed(30_000)

  const first = aTrace()
  const body = anUpload()
  const answer = await send(body, first.traceparent)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('traceresponse')).toMatch(new RegExp(`^00-${first.traceId}-[0-9a-f]{16}-01$`))
  await stack.untilProcessed(30_000)
  const read = await call(web.url, 'GET', `/api/insights/v1/${body.referenceNumber}?codes=velocity`, {
    token: requesterKey,
    headers: { traceparent: first.traceparent },
  })
  expect(read.status).toBe(200)

  // neither the caller's decision against, nor a share of 0, nor what is no trace
  for (const traceparent of [
    aTrace('00').traceparent,
    undefined,
    `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`,
  ]) {
    const unsampled = await send(anUpload(), traceparent)
    expect([unsampled.status, unsampled.headers.get('traceresponse')]).toEqual([200, null])
  }
  await stack.untilProcessed(30_000)

  const together = Array.from({ length: 5 }, () => aTrace())
  const invalid = aTrace()
  await Promise.all([
    ...together.map(({ traceparent }) => send(anUpload(), traceparent)),
    send({ ...anUpload(), data: Buffer.from('no gzip').toString('base64') }, invalid.traceparent),
  ])
  await stack.untilProcessed(30_000)
  await expect.poll(() => receiver.received).toHaveLength(10)
  const endings = await Promise.all([web.end('SIGTERM'), worker.end('SIGTERM')])
  expect(endings.map(({ code }) => code)).toEqual([0, 0])

  const { spans } = collector
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const treeOf = (traceId: string) =>
    spans
      .filter((span) => span.traceId === traceId)
      .map(({ service, kind, name, parentId }) => [service, kind, name, byId.get(parentId)?.name])
  const web1 = 'inkling-web'
  const worker1 = 'inkling-worker'
  const upload = 'POST /api/datasets/v1/upload'
  const insight = 'GET /api/insights/v1/:referenceNumber'
  const expected = [
    [web1, SERVER, upload, undefined],
    [web1, INTERNAL, 'commit uploads', upload],
    [web1, PRODUCER, 'send datasets', upload],
    [worker1, INTERNAL, 'process batch', 'send datasets'],
    [worker1, CONSUMER, 'process datasets', 'send datasets'],
    [worker1, INTERNAL, 'decode', 'process datasets'],
    [worker1, INTERNAL, 'features', 'process datasets'],
    [worker1, INTERNAL, 'settle', 'process datasets'],
    [worker1, INTERNAL, 'velocity', 'settle'],
    [worker1, INTERNAL, 'scores', 'settle'],
    [worker1, INTERNAL, 'save', 'settle'],
    [web1, SERVER, insight, undefined],
    [web1, INTERNAL, 'find insight', insight],
  ]
  expect(treeOf(first.traceId).toSorted()).toEqual(expected.toSorted())
  const server = spans.find(({ traceId, name }) => traceId === first.traceId && name === upload)
  expect(server?.version).toBe(serviceVersion().version)
  expect(server?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/api/datasets/v1/upload',
    'http.response.status_code': 200,
    'inkling.request_id': answer.headers.get('x-request-id'),
    'inkling.subscription_id': subscriptionId,
  })

  // batches name all sampled uploads that they hold, and each of those has its own steps
  const sampled = [first, invalid, ...together].map(({ traceId }) => traceId)
  const linkedBy = (name: string) =>
    spans
      .filter((span) => span.name === name)
      .flatMap(({ links }) => links)
      .map((link) => byId.get(link))
  const tracesOf = (linked: readonly (ReceivedSpan | undefined)[]) => linked.map((span) => span?.traceId)
  expect(tracesOf(linkedBy('commit uploads')).toSorted()).toEqual(sampled.toSorted())
  expect(tracesOf(linkedBy('process batch')).toSorted()).toEqual(sampled.toSorted())
  expect(linkedBy('process datasets').map((span) => span?.name)).toEqual(sampled.map(() => 'process batch'))
  for (const { traceId } of together)
    expect(treeOf(traceId)).toEqual(expect.arrayContaining([[worker1, INTERNAL, 'save', 'settle']]))
  const decoded = spans.filter(({ name }) => name === 'decode')
  expect(decoded.filter(({ failed }) => failed)).toMatchObject([
    { traceId: invalid.traceId, attributes: { 'error.type': 'not_gzip' } },
  ])

  // a receiver may continue the trace of its message
  const posts = spans.filter(({ kind }) => kind === CLIENT)
  expect(posts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`).toSorted()).toEqual(
    receiver.received.map(({ headers }) => headers.traceparent).toSorted(),
  )
  expect(new Set(spans.filter(({ kind }) => kind !== CLIENT).map(({ traceId }) => traceId))).toEqual(
    new Set(sampled),
  )

  // logs name the trace; the collector learns nothing of the data
  const requests = web.logged().filter(({ msg, route }) => msg === 'request' && route !== undefined)
  const loggedTraces = (entries: readonly LogEntry[]) => new Set(entries.map(({ traceId }) => traceId))
  expect(loggedTraces(requests)).toEqual(new Set([...sampled, undefined]))
  const batches = worker.logged().filter(({ msg }) => msg === 'batch')
  expect(loggedTraces(batches)).toContain(first.traceId)
  expect(loggedTraces(batches)).toContain(undefined)
  for (const secret of [body.referenceNumber, uploaderKey, requesterKey, 'device-1'])
    expect(collector.received).not.toContain(secret)
})

test('while the collector does not answer, uploads are accepted and the process ends in time', {
  timeout: 60_000,
}, async () => {
  await using collector = await openCollector({ answers: false })
  await using stack = await startTestStack({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_on' },
  })
  const web = await stack.startWeb()
  const body = anUpload()
  const answer = await call(web.url, 'POST', '/api/datasets/v1/upload', {
    token: stack.tenant.uploaderKey,
    body,
  })
  expect([answer.status, answer.headers.has('traceresponse')]).toEqual([200, true])
  const { code, ms } = await web.end('SIGTERM')
  expect(code).toBe(0)
  expect(ms).toBeLessThan(4_000) // of DRAIN_SECONDS, 5
  expect(collector.received).toContain('commit uploads')
  expect(web.logged()).toContainEqual(expect.objectContaining({ msg: 'tracing', level: 40 }))
})
