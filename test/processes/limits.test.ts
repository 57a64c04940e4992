import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeLimits, findLimitedUse, WHOLE } from '../../db/limits/limits.ts'
import { anActor } from '../support/actors.ts'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { killProcesses, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

let stack: TestStack
let webs: readonly [WebProcess, WebProcess]

beforeAll(async () => {
  stack = await startTestStack({ env: { SUBSCRIPTION_DATASETS_PER_DAY: '1000' } })
  webs = [await stack.startWeb(), await stack.startWeb()]
})
afterAll(async () => {
  await killProcesses()
  await stack[Symbol.asyncDispose]()
})

const LIMIT = 40

test('two web processes share the limit of a day, also without Redis, and a restart forgets nothing', async () => {
  const { subscriptionId, uploaderKey } = stack.tenant
  await stack.redis.cut()
  const send = async ({ url }: WebProcess) => (await upload(url, uploaderKey, anUpload())).status
  const remaining = async ({ url }: WebProcess) => {
    const { headers } = await upload(url, uploaderKey, {}) // stores nothing
    return Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  }
  for (const web of webs) await expect.poll(() => remaining(web)).toBe(1_000) // the default of the environment
  const actor = anActor('operator')
  await changeLimits(stack.db, { subscriptionId, keyId: WHOLE, actor, change: { datasetsPerDay: LIMIT } })
  for (const web of webs) await expect.poll(() => remaining(web), { timeout: 5_000 }).toBe(LIMIT)

  const [first, second] = webs
  const sendMany = (web: WebProcess, many: number) =>
    Promise.all(Array.from({ length: many }, () => send(web)))
  // within the limit nobody is rejected, whichever process is asked
  expect(await sendMany(first, LIMIT / 2)).toEqual(Array(LIMIT / 2).fill(200))
  await expect.poll(() => remaining(second), { timeout: 5_000 }).toBe(LIMIT / 2)
  expect(await sendMany(second, LIMIT / 2)).toEqual(Array(LIMIT / 2).fill(200))
  await expect.poll(() => remaining(first), { timeout: 5_000 }).toBe(0)
  expect([...(await sendMany(first, 5)), ...(await sendMany(second, 5))]).toEqual(Array(10).fill(429))

  await second.end('SIGTERM')
  const third = await stack.startWeb()
  await expect.poll(() => remaining(third)).toBe(0)
  expect(await send(third)).toBe(429)
  const [use] = await findLimitedUse(stack.db, [{ subscriptionId, keyId: WHOLE }])
  expect(use?.datasets).toBe(LIMIT)
  const stored = await stack.db('datasets').where({ subscription_id: subscriptionId })
  expect(stored).toHaveLength(LIMIT)
})
