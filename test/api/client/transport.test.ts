import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConnectionError, Inkling, ProblemError, type Retry } from '../../../api/client/src/index.ts'

/** Answers to the requests, in their order; the last one to all others. */
type Answer = (response: ServerResponse, request: IncomingMessage) => void

const RECEIPT = { referenceNumber: 'R-1', uploadDate: '2026-11-23T00:00:00.000000' }

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))

const problem = (status: number, title: string, headers?: Record<string, string>) =>
  json(status, { type: 'https://x.example', title, status, detail: 'A reason', traceId: 'trace' }, headers)

const hang: Answer = () => undefined
const reset: Answer = (response) => response.socket?.resetAndDestroy()

let server: Server
let url: string
let answers: Answer[]
let requests: { method: string; url: string; body: string; headers: IncomingMessage['headers'] }[]
let connections: number

beforeEach(async () => {
  answers = [json(200, RECEIPT)]
  requests = []
  connections = 0
  server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    requests.push({ method: request.method ?? '', url: request.url ?? '', body, headers: request.headers })
    answer?.(response, request)
  }).on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
})

const retries: Retry[] = []
const open = (options: Partial<ConstructorParameters<typeof Inkling>[0]> = {}) => {
  retries.length = 0
  return new Inkling({ baseUrl: url, key: 'ink_test', onRetry: (retry) => retries.push(retry), ...options })
}
const UPLOAD = { referenceNumber: 'R-1', data: 'H4sI' }

/** The error with which a call ended. */
const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'resolved',
    (error: unknown) => error,
  )

test('a call sends the key and JSON, and calls share a connection', async () => {
  const inkling = open({ baseUrl: `${url}/behind/a-proxy` })
  for (let call = 0; call < 10; call += 1) expect(await inkling.upload(UPLOAD)).toEqual(RECEIPT)
  await inkling.insight('a/b #1', { codes: ['x', 'y'] })
  expect(connections).toBeLessThanOrEqual(2) // fetch may open the second before it knows that the first is kept
  const [first, read] = [requests[0], requests.at(-1)]
  expect(first).toMatchObject({
    method: 'POST',
    url: '/behind/a-proxy/api/datasets/v1/upload',
    body: JSON.stringify(UPLOAD),
  })
  expect(first?.headers).toMatchObject({
    authorization: 'Bearer ink_test',
    'content-type': 'application/json',
  })
  expect(read?.url).toBe('/behind/a-proxy/api/insights/v1/a%2Fb%20%231?codes=x&codes=y')
})

describe('a call is repeated', () => {
  test('after errors that pass, and broken connections, with the same body', async () => {
    answers = [reset, problem(500, 'internal_error'), json(200, RECEIPT)]
    expect(await open().upload(UPLOAD)).toEqual(RECEIPT)
    expect(new Set(requests.map(({ body }) => body))).toEqual(new Set([JSON.stringify(UPLOAD)]))
    expect(retries.map(({ failures }) => failures)).toEqual([1, 2])
    expect(retries.map(({ error }) => error.name)).toEqual(['ConnectionError', 'ProblemError'])
  })

  test('not before the time of Retry-After', async () => {
    answers = [problem(429, 'rate_limited', { 'Retry-After': '1' }), json(200, RECEIPT)]
    await open().upload(UPLOAD)
    expect(retries[0]?.delayMs).toBeGreaterThanOrEqual(1_000)
  })

  test('after an attempt without a response in time', async () => {
    answers = [hang, json(200, RECEIPT)]
    expect(await open({ attemptTimeoutMs: 50 }).upload(UPLOAD)).toEqual(RECEIPT)
    expect(retries[0]?.error.message).toBe('The service cannot be reached: no response within 50 ms')
  })

  test('that creates something only if the service did not begin it', async () => {
    const create = (first: Answer) => {
      answers = [first, json(200, { id: 3 })]
      requests.length = 0
      return errorOf(open().webhooks.create({ url: 'https://x.example', label: 'x' }))
    }
    expect(await create(problem(429, 'rate_limited', { 'Retry-After': '0' }))).toBe('resolved')
    expect(await create(reset)).toBeInstanceOf(ConnectionError)
    expect(await create(problem(503, 'overloaded'))).toMatchObject({ status: 503 })
    expect(requests).toHaveLength(1)
  })

  test('while an insight is not ready only by waitForInsight', async () => {
    answers = [problem(503, 'insight_not_ready'), json(200, { insights: [] })]
    expect(await errorOf(open().insight('R-1'))).toMatchObject({ title: 'insight_not_ready' })
    answers = [problem(503, 'insight_not_ready'), json(200, { insights: [] })]
    requests.length = 0
    expect(await open({ maxRetries: 0 }).waitForInsight('R-1')).toEqual({ insights: [] })
  })
})

describe('a call ends at once', () => {
  test.each([400, 401, 403, 404, 409, 410, 413, 422])(
    'with a %i, whose problem is the error',
    async (status) => {
      answers = [problem(status, 'some_title')]
      const error = await errorOf(open().upload(UPLOAD))
      expect(error).toBeInstanceOf(ProblemError)
      expect(error).toMatchObject({
        status,
        title: 'some_title',
        detail: 'A reason',
        traceId: 'trace',
        errors: {},
      })
      expect(requests).toHaveLength(1)
    },
  )

  test('if Retry-After is later than the time of the call', async () => {
    answers = [problem(429, 'rate_limited', { 'Retry-After': '3600' })]
    expect(await errorOf(open().upload(UPLOAD))).toMatchObject({ status: 429, retryAfterMs: 3_600_000 })
    answers = [problem(503, 'overloaded', { 'Retry-After': new Date(Date.now() + 3_600_000).toUTCString() })]
    expect(await errorOf(open().upload(UPLOAD))).toMatchObject({ status: 503 })
    expect(requests).toHaveLength(2)
  })

  test('with a page of a proxy, a redirect, or a response that is not JSON', async () => {
    for (const answer of [
      json(301, '', { Location: 'https://elsewhere.example/' }),
      (response: ServerResponse) => response.writeHead(200).end('<html>Sign in to the network</html>'),
      (response: ServerResponse) => response.writeHead(403).end('<html>Blocked</html>'),
    ]) {
      answers = [answer]
      expect(await errorOf(open().upload(UPLOAD))).toMatchObject({ title: 'unexpected_response' })
    }
    expect(requests).toHaveLength(3)
  })

  test('when its signal is aborted, in an attempt and in a pause', async () => {
    const reason = new Error('The server stops')
    for (const answer of [hang, problem(503, 'overloaded', { 'Retry-After': '60' })]) {
      answers = [answer]
      const controller = new AbortController()
      const call = errorOf(open().upload(UPLOAD, { signal: controller.signal }))
      await expect.poll(() => requests.length).toBe(1)
      controller.abort(reason)
      expect(await call).toBe(reason)
      requests.length = 0
    }
  })
})

test('a call ends after its time with the last error, and after its retries', async () => {
  answers = [hang]
  const timedOut = await errorOf(open().upload(UPLOAD, { timeoutMs: 60 }))
  expect(timedOut).toBeInstanceOf(ConnectionError)
  answers = [problem(500, 'internal_error')]
  requests.length = 0
  expect(await errorOf(open({ maxRetries: 1 }).upload(UPLOAD))).toMatchObject({ status: 500 })
  expect(requests).toHaveLength(2)
})

test('an address or a key that cannot be right is an error of the program', () => {
  for (const baseUrl of ['localhost:3000', 'ftp://x.example', ''])
    expect(() => open({ baseUrl })).toThrow(TypeError)
  for (const key of ['', 'ink_a b', 'ink_ä', 'ink_\n']) expect(() => open({ key })).toThrow(TypeError)
})
