import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { challengeScorecard } from '../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../db/scorecards/scorecards.ts'
import { anUpload } from '../support/captures.ts'
import { call, logIn, readByCode, upload } from '../support/client.ts'
import { manyMatches, storedBeforeLimits } from '../support/expensive-models.ts'
import { aScorecardDefinition } from '../support/scorecards.ts'
import { addUser, type Tenant } from '../support/service.ts'
import { killProcesses, type StartedProcess, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

let stack: TestStack
let web: WebProcess
let worker: StartedProcess
let other: Tenant
let token: string

beforeAll(async () => {
  stack = await startTestStack()
  ;[web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
  other = await stack.openTenant()
  const userEmail = `admin-${crypto.randomUUID()}@lender.example`
  await addUser(stack.db, stack.tenant.subscriptionId, userEmail, 'admin')
  token = await logIn(web.url, { userEmail })
}, 120_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await killProcesses()
})

const send = (method: string, path: string, body?: unknown) =>
  call(web.url, method, `/api/scorecards/v1${path}`, { token, ...(body !== undefined && { body }) })

/** Memory of a process in MB. */
async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024
}

/** Reads as another subscription until the work ends. @returns the slowest read in ms. */
async function slowestRead(work: Promise<unknown>): Promise<number> {
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  let slowest = 0
  do {
    const startedAt = performance.now()
    const { status } = await readByCode(web.url, other.requesterKey, 'unknown', '?codes=card')
    expect(status).toBe(404)
    slowest = Math.max(slowest, performance.now() - startedAt)
  } while (!isDone)
  return slowest
}

test('a definition that cannot be one costs no memory of web, and other subscriptions read on', {
  timeout: 60_000,
}, async () => {
  const rows = new Array(380_000).fill('{"inputs":[]}').join(',')
  const card = JSON.stringify(aScorecardDefinition()).slice(0, -1)
  const body = `{"definition":${card},"verification":[${rows}]},"captures":1}`
  const before = await memoryOf(web.pid)
  const judging = Promise.all([send('POST', '/card/versions', body), send('POST', '/card/versions', body)])
  let most = 0
  const watching = setInterval(() => {
    void memoryOf(web.pid).then((now) => {
      most = Math.max(most, now)
    })
  }, 20)
  const slowest = await slowestRead(judging)
  clearInterval(watching)
  for (const { status, body: rejection } of await judging)
    expect([status, rejection.errors]).toEqual([
      400,
      { definition: ['has more than 200,000 objects and lists'] },
    ])
  expect(most - before).toBeLessThan(128)
  expect(slowest).toBeLessThan(2_000)
})

test('a model whose rows take too long is rejected with their cost', async () => {
  const { status, body } = await send('POST', '/card/versions', { definition: manyMatches(), captures: 1 })
  expect([status, Object.keys(body.errors)]).toEqual([400, ['definition.model.derived.0']])
})

test('challenging requires a trial that is done', async () => {
  const { body } = await send('POST', '/tried/versions', { definition: aScorecardDefinition(), captures: 1 })
  const challenge = () => send('POST', '/tried/stage', { version: body.version, action: 'challenge' })
  // a worker may have ended it already
  const early = await challenge()
  if (early.status !== 200) expect(early.body.detail).toMatch(/^No trial of this version/)
  await expect.poll(async () => (await challenge()).status, { timeout: 20_000 }).toBe(200)
})

test('a stored version that is too slow is suspended for itself, and an admin resumes it', {
  timeout: 60_000,
}, async () => {
  const { db, tenant } = stack
  const { subscriptionId, uploaderKey } = tenant
  const version = await saveDefinition(db, subscriptionId, storedBeforeLimits())
  await db.transaction((trx) => challengeScorecard(trx, { subscriptionId, code: 'slow', version }))
  expect((await upload(web.url, uploaderKey, anUpload())).status).toBe(200)
  await stack.untilProcessed(30_000)
  const find = async () => {
    const { body } = await send('GET', '?code=slow')
    return body.items[0]?.versions[0]
  }
  await expect.poll(async () => (await find()).suspended?.because).toBe('slow')

  const next = anUpload()
  expect((await upload(web.url, uploaderKey, next)).status).toBe(200)
  await stack.untilProcessed(10_000)
  const [stored] = await db('insights')
    .join('datasets', { 'datasets.id': 'insights.dataset_id' })
    .where({ reference_number: next.referenceNumber })
    .select('shadow')
  expect(JSON.parse(stored.shadow)).toContainEqual({
    ...{ code: 'slow', version, value: null, probability: null },
    reason: 'model_suspended',
  })

  const resumed = await send('POST', '/slow/stage', { version, action: 'resume' })
  expect([resumed.status, (await find()).suspended]).toEqual([200, null])
  expect((await send('POST', '/slow/stage', { version, action: 'resume' })).body.detail).toBe(
    'This version is not suspended',
  )
  const recorded = await db('audit_events')
    .where({ subscription_id: subscriptionId, subject: 'slow' })
    .orderBy('id')
    .pluck('action')
  expect(recorded).toEqual(['scorecard.suspend', 'scorecard.resume'])
})

test('a version with which two workers died is suspended before the next one evaluates it', {
  timeout: 60_000,
}, async () => {
  const { db, tenant } = stack
  const { subscriptionId, uploaderKey } = tenant
  const version = await saveDefinition(db, subscriptionId, storedBeforeLimits({ calls: 20_000 }))
  await db.transaction((trx) => challengeScorecard(trx, { subscriptionId, code: 'deadly', version }))
  await worker.end('SIGTERM')
  const body = anUpload()
  expect((await upload(web.url, uploaderKey, body)).status).toBe(200)
  const runs = db('scorecard_first_runs').where({ version })
  for (let deaths = 1; deaths <= 2; deaths++) {
    worker = await stack.startWorker()
    await stack.expireEnqueueTimeouts()
    await expect.poll(async () => (await runs.clone()).length, { timeout: 20_000 }).toBe(deaths)
    await worker.end('SIGKILL') // as the kernel does to a process without memory
  }
  await runs.clone().update({ started_at: new Date(0) }) // as if 30 s had passed

  worker = await stack.startWorker()
  await stack.expireEnqueueTimeouts()
  await stack.untilProcessed(20_000)
  const { body: card } = await send('GET', '?code=deadly')
  expect(card.items[0].versions[0].suspended.because).toBe('died')
  expect((await readByCode(web.url, tenant.requesterKey, body.referenceNumber)).status).toBe(200)
})

test('definitions that come faster than they are judged are refused at once', async () => {
  const save = () => send('POST', '/queued/versions', { definition: {}, captures: 1 })
  const answers = await Promise.all(Array.from({ length: 12 }, save))
  const judged = answers.filter(({ status }) => status === 400)
  const refused = answers.filter(({ status }) => status === 503)
  expect(judged.length).toBeGreaterThanOrEqual(4)
  expect(refused.length).toBe(answers.length - judged.length)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers, body } of refused) {
    expect(body.title).toBe('overloaded')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
})
