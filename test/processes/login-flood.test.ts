import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { attemptLogin, upload } from '../support/client.ts'
import { openTenant } from '../support/service.ts'
import { killProcesses, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

let stack: TestStack
let webs: [WebProcess, WebProcess]

beforeAll(async () => {
  stack = await startTestStack({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  webs = await Promise.all([stack.startWeb(), stack.startWeb()])
})
afterAll(async () => {
  await killProcesses()
  await stack[Symbol.asyncDispose]()
})

const from = (address: string) => ({ 'X-Real-IP': address })

test('sign-in failures count per account and per address across web processes', async () => {
  const { userEmail } = await openTenant(stack.db)
  const at = (web: WebProcess, n: number, email = userEmail, password = 'a wrong password') =>
    attemptLogin(web.url, email, password, from(`198.51.100.${n}`)).then(({ status }) => status)
  for (let n = 0; n < 10; n++) expect(await at(n % 2 ? webs[0] : webs[1], n)).toBe(401)
  for (const web of webs) expect(await at(web, 100)).toBe(429)

  await stack.db('login_attempts').where({ key: 'address:198.51.100.1' }).update({ points: 98 })
  for (const web of webs) expect(await at(web, 1, `${crypto.randomUUID()}@lender.example`)).toBe(401)
  const { userEmail: other } = await openTenant(stack.db)
  for (const web of webs) {
    expect(await at(web, 1, other)).toBe(429)
    expect(await at(web, 101, other)).toBe(401)
  }
})

const CLIENTS = 4
const PHASE_MS = 4_000

/** Four times the capacity of one process; each for another account and from another address. */
const LOGINS_PER_SECOND = 100

test('during a flood of sign-ins, uploads continue and a valid user can sign in', {
  timeout: 120_000,
}, async ({ annotate }) => {
  const [web] = webs
  const { uploaderKey, userEmail } = await openTenant(stack.db)
  await timeUploads(web, uploaderKey, 1_000) // warm-up

  const times = { calm: [] as number[], flood: [] as number[] }
  const answers: LoginAnswer[] = []
  for (let round = 0; round < 2; round++) {
    times.calm.push(...(await timeUploads(web, uploaderKey, PHASE_MS)))
    using flood = startFlood(web)
    times.flood.push(...(await timeUploads(web, uploaderKey, PHASE_MS)))
    if (round === 1) await logInWithRetries(web, userEmail)
    answers.push(...(await flood.stop()))
  }

  const statuses = Map.groupBy(answers, ({ status }) => status)
  const [calm, flood] = [p99(times.calm), p99(times.flood)]
  await annotate(
    `uploads, p99: ${calm.toFixed(1)} ms, during the flood ${flood.toFixed(1)} ms (${(flood / calm).toFixed(1)} times); ` +
      `${times.calm.length} and ${times.flood.length} of them; log-ins: ` +
      [...statuses].map(([status, { length }]) => `${length} × ${status}`).join(', '),
  )
  expect(new Set(statuses.keys())).toEqual(new Set([401, 503])) // some are checked, the others rejected
  for (const { retryAfter } of statuses.get(503) ?? []) expect(Number(retryAfter)).toBeGreaterThan(0)
  // measured on two busy cores: 1.9 times the latency, half the uploads; without a limit on hashes, uploads almost stop
  expect(times.flood.length).toBeGreaterThan(times.calm.length / 15)
  expect(flood / calm).toBeLessThan(15)
})

/** Durations of the uploads that concurrent clients, each sequentially, send for this long. */
async function timeUploads(web: WebProcess, key: string, ms: number): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + ms
  const client = async () => {
    while (performance.now() < until) {
      const body = anUpload()
      const startedAt = performance.now()
      expect((await upload(web.url, key, body)).status).toBe(200)
      times.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return times
}

interface LoginAnswer {
  /** Undefined if the connection was lost. */
  readonly status: number | undefined
  readonly retryAfter: string | undefined
}

/** Sends sign-ins at a steady rate without waiting for responses. */
function startFlood(web: WebProcess): Disposable & { stop(): Promise<LoginAnswer[]> } {
  const agent = new Agent({ keepAlive: true })
  const sent: Promise<LoginAnswer>[] = []
  const startedAt = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1_000) * LOGINS_PER_SECOND
    while (sent.length < due) sent.push(sendLogin(web, agent, sent.length))
  }, 10)
  return {
    async stop() {
      clearInterval(timer)
      const answers = await Promise.all(sent)
      agent.destroy()
      return answers
    },
    [Symbol.dispose]() {
      clearInterval(timer)
    },
  }
}

function sendLogin(web: WebProcess, agent: Agent, n: number): Promise<LoginAnswer> {
  const { promise, resolve } = Promise.withResolvers<LoginAnswer>()
  const headers = {
    'Content-Type': 'application/json',
    ...from(`10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`),
  }
  request(`${web.url}/api/account/v1/login`, { agent, method: 'POST', headers }, (response) => {
    response
      .resume()
      .once('end', () =>
        resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'] }),
      )
  })
    .once('error', () => resolve({ status: undefined, retryAfter: undefined }))
    .end(JSON.stringify({ userEmail: `${crypto.randomUUID()}@lender.example`, password: 'a wrong password' }))
  return promise
}

/** Retries until the sign-in succeeds. */
async function logInWithRetries(web: WebProcess, userEmail: string): Promise<void> {
  for (const deadline = performance.now() + 30_000; ; await delay(50)) {
    const { status } = await attemptLogin(web.url, userEmail, undefined, from('198.51.100.200'))
    if (status === 200) return
    expect(status).toBe(503)
    expect(performance.now(), 'logged in').toBeLessThan(deadline)
  }
}

const p99 = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY
