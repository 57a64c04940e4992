import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ProblemDetails } from '../../api/http/present-problem.ts'
import { aPost, type BadRequest, listBadRequests } from '../support/bad-requests.ts'
import { anUpload } from '../support/captures.ts'
import { call, upload } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { recordResult } from '../support/faults/record-result.ts'
import { byLength, isLong } from '../support/faults/run-length.ts'
import { openRawConnection, type RawConnection } from '../support/raw-connection.ts'
import type { RawAnswer } from '../support/raw-request.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'
import { killProcesses, PROJECT, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

/** A row of a table in docs/http.md, which documents the response. */
interface Row {
  readonly sent: string
  readonly statuses: readonly number[]
  readonly titles: readonly string[]
  readonly connection: string
}

const ROWS: readonly Row[] = readFileSync(join(PROJECT, 'docs/http.md'), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length === 6 && /^\d/.test(cells[2] ?? ''))
  .map(([, sent = '', statuses = '', titles = '', connection = '']) => ({
    sent,
    statuses: statuses.split(', ').map(Number),
    titles: titles.split(', ').filter(Boolean),
    connection,
  }))

/** The time limit in seconds that a row tests; 0 without one. */
const secondsOf = ({ sent }: Row) => Number(/for (\d+) s$/.exec(sent)?.[1] ?? 0)

let stack: TestStack
let web: WebProcess

beforeAll(async () => {
  stack = await startTestStack()
  web = await stack.startWeb({ LOG_LEVEL: 'debug' }) // checks of its health are logged, too
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await killProcesses()
})

/** Sends the request of a row and expects the documented responses. */
async function expectRow(url: string, tenant: Tenant, row: Row, withinMs = 10_000): Promise<RawAnswer[]> {
  const request = listBadRequests(tenant)[row.sent]
  if (request === undefined) throw new Error(`No request for the row ${row.sent}`)
  using connection = await openRawConnection(url)
  const { bytes, ends } = asRequest(request)
  connection.send(bytes)
  if (ends) connection.endSending()
  const answers: RawAnswer[] = []
  for (const _ of row.statuses)
    answers.push(await connection.receive({ toHead: row.sent.startsWith('HEAD'), withinMs }))
  expect(answers.map(({ status }) => status)).toEqual(row.statuses)
  const refused = answers.filter(({ status }) => Number(status) >= 400)
  expect(refused.map(({ body }) => body.title)).toEqual(row.titles)
  for (const answer of refused) expectProblem(answer)
  if (row.connection === 'closed') await connection.untilClosed(withinMs)
  else await expectOpen(connection)
  return answers
}

const asRequest = (request: string | Buffer | BadRequest): BadRequest =>
  typeof request === 'string' || Buffer.isBuffer(request) ? { bytes: request } : request

/** Expects a problem document with a request id that must not be cached, whichever layer rejects the request. */
function expectProblem({ status, headers, body }: RawAnswer): void {
  expect(ProblemDetails.strict().parse(body)).toMatchObject({ status, traceId: headers['x-request-id'] })
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
}

async function expectOpen(connection: RawConnection): Promise<void> {
  connection.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  expect((await connection.receive()).status).toBe(200)
}

/** Expects one log entry for each response, and nothing unusual in it. */
async function expectLogged(logged: () => readonly object[], answers: readonly RawAnswer[]): Promise<void> {
  const final = answers.filter(({ status }) => status !== 100)
  const ids = new Set(final.map(({ headers }) => headers['x-request-id']))
  const lines = await eventually(() => {
    const found = (logged() as Record<string, unknown>[]).filter(({ requestId }) =>
      ids.has(requestId as string),
    )
    expect(found).toHaveLength(final.length)
    return found
  })
  expect(lines.filter(({ level, msg }) => Number(level) > 30 || msg !== 'request')).toEqual([])
  expect(lines.map(({ status }) => status).toSorted()).toEqual(final.map(({ status }) => status).toSorted())
}

test('the tables in docs/http.md have exactly one row for each bad request of the tests', () => {
  const known = Object.keys(listBadRequests({ uploaderKey: '', requesterKey: '' } as Tenant))
  expect(ROWS.map(({ sent }) => sent)).toEqual(known)
})

describe('docs/http.md', () => {
  test.concurrent.each(ROWS.filter((row) => secondsOf(row) === 0))(
    '$sent: $statuses $titles, $connection',
    async (row) => {
      await expectLogged(web.logged, await expectRow(web.url, stack.tenant, row))
    },
  )

  describe('on time limits', () => {
    let hasty: Service
    beforeAll(async () => {
      const connectionLimits = { headersMs: 400, requestMs: 800, connections: 1_000 }
      hasty = await startService({ worker: false, connectionLimits, insightWaitMs: 3_000 })
    })
    afterAll(() => hasty.stop())
    const ofTime = ROWS.filter((row) => secondsOf(row) > 0)

    test.concurrent.each(ofTime)('$sent, or less if so configured: $statuses $titles', async (row) => {
      const answers = await expectRow(hasty.url, await hasty.openTenant(), row)
      await expectLogged(() => hasty.logged.map((line) => JSON.parse(line)), answers)
    })

    test.runIf(isLong).concurrent.each(ofTime)(
      '$sent: $statuses $titles',
      { timeout: 200_000 },
      async (row) => {
        const startedAt = performance.now()
        const withinMs = secondsOf(row) * 1_000 + 5_000
        await expectLogged(web.logged, await expectRow(web.url, stack.tenant, row, withinMs))
        expect(performance.now() - startedAt).toBeGreaterThan(secondsOf(row) * 1_000 - 500)
      },
    )

    test.concurrent('a connection that never sends a byte is closed without a response', async () => {
      using connection = await openRawConnection(hasty.url)
      await connection.untilClosed()
    })

    test.concurrent('sending bytes slowly does not extend the time limit', async () => {
      using connection = await openRawConnection(hasty.url)
      connection.send('GET /healthz HTTP/1.1\r\nHost: x\r\nA: ')
      const trickle = setInterval(() => connection.send('a'), 50)
      try {
        expect((await connection.receive()).status).toBe(408)
        await connection.untilClosed()
      } finally {
        clearInterval(trickle)
      }
    })

    test.concurrent('a request whose response takes longer than the limits is answered', async () => {
      const tenant = await hasty.openTenant()
      const body = anUpload()
      await upload(hasty.url, tenant.uploaderKey, body)
      using connection = await openRawConnection(hasty.url)
      // without a worker, it waits 3 s for the insight
      connection.send(
        `GET /api/insights/v1/${body.referenceNumber} HTTP/1.1\r\nHost: x\r\n` +
          `Authorization: Bearer ${tenant.requesterKey}\r\n\r\nGET /heal`,
      )
      expect((await connection.receive({ withinMs: 15_000 })).body.title).toBe('insight_not_ready')
      expect((await connection.receive()).body.title).toBe('request_timeout') // in request order
      await connection.untilClosed()
    })
  })
})

test('pipelined requests are answered in order', async () => {
  using connection = await openRawConnection(web.url)
  const ids = Array.from({ length: 1_000 }, (_, n) => `id-${n}`)
  const targets = ['/healthz', '/readyz', '/none', '/features']
  connection.send(
    ids.map((id, n) => `GET ${targets[n % 4]} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n\r\n`).join(''),
  )
  for (const [n, id] of ids.entries()) {
    const { status, headers } = await connection.receive()
    expect([status, headers['x-request-id']]).toEqual([n % 4 === 2 ? 404 : 200, id])
  }
})

test('a connection that breaks while its last request is queued affects no other', async () => {
  const body = anUpload()
  await upload(web.url, stack.tenant.uploaderKey, body)
  // without a worker, this request waits
  const read =
    `GET /api/insights/v1/${body.referenceNumber} HTTP/1.1\r\nHost: x\r\n` +
    `Authorization: Bearer ${stack.tenant.requesterKey}\r\n\r\n`
  const lasts = ['CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n', 'what is this?\r\n\r\n']
  for (const last of lasts) {
    using connection = await openRawConnection(web.url)
    connection.send(read)
    connection.send(last)
    await delay(200) // until it was read; a shorter delay would only test less
    connection.reset()
  }
  await vi.waitFor(() => {
    const aborted = web
      .logged()
      .filter((line) => line.route === '/api/insights/v1/:referenceNumber' && line.aborted)
    expect(aborted.length).toBeGreaterThanOrEqual(lasts.length)
  }, 15_000)
  expect((await call(web.url, 'GET', '/healthz')).status).toBe(200)
  expect(web.logged().filter(({ level }) => level > 30)).toEqual([])
})

describe('a truncated upload', () => {
  const count = async () =>
    (await stack.db.raw('select count(*)::int as datasets from datasets')).rows[0].datasets

  test('at any byte, by a client that closes, is rejected or stored completely', {
    timeout: 60_000,
  }, async () => {
    const request = aPost(stack.tenant.uploaderKey)
    const before = await count()
    for (const at of request.keys()) {
      using connection = await openRawConnection(web.url)
      connection.send(request.subarray(0, at))
      connection.endSending()
      if (at > 0) expect((await connection.receive()).body.title, `cut at ${at}`).toBe('malformed_request')
      await connection.untilClosed()
    }
    expect(await count()).toBe(before)
    using connection = await openRawConnection(web.url)
    connection.send(request)
    expect((await connection.receive()).status).toBe(200)
    expect(await count()).toBe(before + 1)
    recordResult({ fault: 'HTTP: an upload cut at every byte', uploads: 1, inputs: request.length, lost: 0 })
  })

  test('at any byte, by a connection that breaks, affects no other', { timeout: 60_000 }, async () => {
    const request = aPost(stack.tenant.uploaderKey)
    const before = await count()
    for (const at of request.keys()) {
      using connection = await openRawConnection(web.url)
      connection.send(request.subarray(0, at))
    }
    expect((await upload(web.url, stack.tenant.uploaderKey, anUpload())).status).toBe(200)
    expect(await count()).toBe(before + 1)
  })

  test('that is completed byte by byte is stored', async () => {
    using connection = await openRawConnection(web.url)
    for (const byte of aPost(stack.tenant.uploaderKey)) {
      connection.send(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    expect((await connection.receive()).status).toBe(200)
  })
})

describe('arbitrary data', () => {
  const RUNS = { numRuns: byLength({ short: 300, long: 20_000 }), endOnFailure: true }
  const MS = byLength({ short: 60_000, long: 1_800_000 })

  /** Lists the responses until the connection is closed; the client closes its side after sending. */
  async function listAnswers(bytes: Buffer): Promise<RawAnswer[]> {
    using connection = await openRawConnection(web.url)
    connection.send(bytes)
    connection.endSending()
    const answers: RawAnswer[] = []
    try {
      for (;;) answers.push(await connection.receive())
    } catch (error) {
      expect((error as Error).message).toMatch(/^Closed instead of an answer, after ""/)
      return answers
    }
  }

  test('as the request target causes no server error', { timeout: MS }, async () => {
    const marks = [...'/%?#[]@:;*.\\ é', '//', '..', '%00', '%2e', 'http://', '/healthz', '/api/insights/v1/']
    const target = fc.oneof(
      fc.array(fc.constantFrom(...marks), { minLength: 1 }).map((all) => all.join('')),
      fc.string({ unit: 'binary', minLength: 1 }),
    )
    await fc.assert(
      fc.asyncProperty(target, async (text) => {
        const head = `GET ${text} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stack.tenant.requesterKey}\r\n\r\n`
        for (const { status } of await listAnswers(Buffer.from(head))) expect(status).toBeLessThan(500)
      }),
      RUNS,
    )
    recordResult({ fault: 'HTTP: targets of requests', inputs: RUNS.numRuns, lost: 0 })
  })

  test('in the bytes of an upload causes no server error', { timeout: MS }, async () => {
    const change = fc.record({ at: fc.nat(), remove: fc.nat(8), insert: fc.uint8Array({ maxLength: 8 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        let bytes = aPost(stack.tenant.uploaderKey)
        for (const { at, remove, insert } of changes) {
          const from = at % bytes.length
          bytes = Buffer.concat([bytes.subarray(0, from), insert, bytes.subarray(from + remove)])
        }
        for (const { status } of await listAnswers(bytes)) expect(status).toBeLessThan(500)
      }),
      RUNS,
    )
    recordResult({ fault: 'HTTP: uploads with changed bytes', inputs: RUNS.numRuns, lost: 0 })
  })

  test('does not appear in the log', async () => {
    const MARK = Buffer.from('mark-to-find')
    const requests = Object.values(listBadRequests(stack.tenant))
      .map((request) => Buffer.from(asRequest(request).bytes))
      .filter((bytes) => bytes.length < 40_000)
    const before = web.logged().length
    for (const bytes of requests) {
      const places = Array.from({ length: 12 }, (_, n) => Math.floor((bytes.length * n) / 11))
      await Promise.all(
        places.map(async (at) => {
          using connection = await openRawConnection(web.url)
          connection.send(Buffer.concat([bytes.subarray(0, at), MARK, bytes.subarray(at)]))
          connection.endSending()
          await connection.untilClosed().catch(() => undefined) // any response
        }),
      )
    }
    expect(web.logged().length - before).toBeGreaterThan(requests.length * 10)
    expect(web.output()).not.toContain(String(MARK))
    for (const credential of [stack.tenant.uploaderKey, stack.tenant.requesterKey])
      expect(web.output()).not.toContain(credential)
  })

  test('leaves the process running, and nothing unusual in its log', async () => {
    expect((await call(web.url, 'GET', '/healthz')).status).toBe(200)
    const slowQueue = 'could not enqueue; the relay will' // logged on busy machines
    expect(web.logged().filter(({ level, msg }) => level > 30 && msg !== slowQueue)).toEqual([])
    expect(
      web
        .output()
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('{')),
    ).toEqual([])
  })
})

test('connections beyond the limit are closed immediately and logged, and existing ones keep working', async () => {
  const connectionLimits = { headersMs: 20_000, requestMs: 20_000, connections: 5 }
  const small = await startService({ worker: false, connectionLimits })
  try {
    const open = await Promise.all(Array.from({ length: 5 }, () => openRawConnection(small.url)))
    for (const connection of open) await expectOpen(connection)
    using beyond = await openRawConnection(small.url)
    await beyond.untilClosed()
    expect(small.logged.join('')).toContain('"msg":"too many connections"')
    for (const connection of open) await expectOpen(connection)
    open.pop()?.[Symbol.dispose]()
    await eventually(async () => {
      using next = await openRawConnection(small.url)
      await expectOpen(next)
    })
    for (const connection of open) connection[Symbol.dispose]()
  } finally {
    await small.stop()
  }
})
