import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { logIn, readInsight } from '../support/client.ts'
import { openTenant } from '../support/service.ts'
import { killProcesses, PROJECT, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

let stack: TestStack
let webs: [WebProcess, WebProcess]

beforeAll(async () => {
  stack = await startTestStack()
  webs = await Promise.all([stack.startWeb(), stack.startWeb()])
})
afterAll(async () => {
  await killProcesses()
  await stack[Symbol.asyncDispose]()
})

const rotate = async (more: Record<string, string> = {}) => {
  const env = { ...stack.env, ...more }
  const { stdout } = await promisify(execFile)(join(PROJECT, 'scripts/admin'), ['token-key', 'rotate'], {
    env,
  })
  return { stdout, printed: JSON.parse(stdout) }
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid

const titleAt = async (web: WebProcess, token: string) =>
  (await readInsight(web.url, token, 'none')).body.title

test('a rotation reaches running web processes, which never reject a valid token', {
  timeout: 90_000,
}, async () => {
  const old = await logIn(webs[0].url, stack.tenant)
  const { stdout, printed } = await rotate()
  expect(printed).toEqual({
    kid: expect.any(String),
    signsFrom: expect.any(String),
    othersRemovedFrom: expect.any(String),
  })
  const [{ d }] = (await stack.db('token_keys').where({ kid: printed.kid }).select('private_jwk')).map(
    (row) => row.private_jwk,
  )
  expect(stdout).not.toContain(d)
  const overlapMs = Date.parse(printed.othersRemovedFrom) - Date.parse(printed.signsFrom)
  expect(overlapMs).toBe(25 * 3_600_000)

  // each token is valid at both processes at all times until both sign with the new key, within 15 s
  const signers = [new Set<unknown>(), new Set<unknown>()] as const
  const deadline = performance.now() + 15_000
  while (signers.some((kids) => !kids.has(printed.kid))) {
    expect(performance.now(), 'both sign with the new key').toBeLessThan(deadline)
    for (const [at, web] of webs.entries()) {
      const token = await logIn(web.url, stack.tenant)
      signers[at]?.add(kidOf(token))
      const titles = await Promise.all(webs.map((other) => titleAt(other, token)))
      expect(titles).toEqual(['dataset_not_found', 'dataset_not_found'])
      if (kidOf(token) === printed.kid)
        expect(Date.now()).toBeGreaterThan(Date.parse(printed.signsFrom) - 1_000)
    }
    await delay(100) // a login fills the processor for tens of milliseconds
  }
  for (const kids of signers) expect([...kids].at(-1)).toBe(printed.kid)
  for (const web of webs) {
    expect(await titleAt(web, old)).toBe('dataset_not_found')
    expect(web.logged().filter(({ msg }) => msg === 'a new key signs tokens')).toMatchObject([
      { kid: printed.kid },
    ])
    expect(web.output()).not.toContain(d)
  }

  // a day later, a worker removes the old key, and tokens signed with it are rejected
  await stack.db.raw(`update token_keys set created_at = created_at - interval '26 hours'`)
  const worker = await stack.startWorker()
  expect(await worker.waitForLog('removed signing keys whose tokens have all expired')).toMatchObject({
    kids: [kidOf(old)],
  })
  for (const web of webs)
    await expect.poll(() => titleAt(web, old), { timeout: 10_000, interval: 250 }).toBe('unauthenticated')
  const fresh = await logIn(webs[1].url, await openTenant(stack.db))
  for (const web of webs) expect(await titleAt(web, fresh)).toBe('dataset_not_found')
})

test('with TOKEN_SIGNING_KEYS set, rotate prints its new value, with the new key first', async () => {
  const { printed: created } = await rotate({
    TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [await makeSigningKey()] }),
  })
  const { printed: again, stdout } = await rotate({ TOKEN_SIGNING_KEYS: JSON.stringify(created) })
  expect(created.keys).toHaveLength(2)
  expect(again.keys.slice(1)).toEqual(created.keys)
  expect(new Set(again.keys.map(({ kid }: { kid: string }) => kid)).size).toBe(3)

  const before = await stack.startWeb({ TOKEN_SIGNING_KEYS: JSON.stringify(created) })
  const token = await logIn(before.url, stack.tenant)
  const after = await stack.startWeb({ TOKEN_SIGNING_KEYS: stdout })
  expect(await titleAt(after, token)).toBe('dataset_not_found')
  expect(kidOf(await logIn(after.url, stack.tenant))).toBe(again.keys[0].kid)
})
