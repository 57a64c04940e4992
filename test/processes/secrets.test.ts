import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeWrappingJwk } from '../../db/encryption/wrapping-keys.ts'
import { anUpload } from '../support/captures.ts'
import { assignInfo, attemptLogin, call, readByCode, readInsight, upload } from '../support/client.ts'
import { listRows } from '../support/list-rows.ts'
import { killProcesses, PROJECT, type StartedProcess, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

let stack: TestStack
let web: WebProcess
let worker: StartedProcess
let adminLog = ''
const wrappingJwk = makeWrappingJwk()

beforeAll(async () => {
  const DATA_ENCRYPTION_KEYS = JSON.stringify({ keys: [wrappingJwk] })
  stack = await startTestStack({ env: { LOG_LEVEL: 'trace', DATA_ENCRYPTION_KEYS } })
  ;[web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
})
afterAll(async () => {
  await killProcesses()
  await stack[Symbol.asyncDispose]()
})

/** Runs an admin command; appends its stderr to `adminLog` and returns its output. */
async function admin(args: readonly string[], stdin = '') {
  const child = spawn(join(PROJECT, 'scripts/admin'), args, { env: stack.env })
  child.stdin.end(stdin)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  adminLog += stderr
  return stdout === '' ? {} : JSON.parse(stdout)
}

/** The encodings in which a secret could be written. */
const formsOf = (secret: string) => [
  secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replaceAll('=', ''),
  encodeURIComponent(secret),
  ...(/^[\w-]{43}$/.test(secret) ? [Buffer.from(secret, 'base64url').toString('hex')] : []),
]

function expectNone(where: string, content: string, secrets: readonly string[]): void {
  for (const secret of secrets)
    for (const form of formsOf(secret))
      expect(content.includes(form), `${form.slice(0, 12)}… in ${where}`).toBe(false)
}

test('no credential is in the logs at any level or in the stores, even during failures', {
  timeout: 180_000,
}, async () => {
  const secrets: string[] = []
  const track = <S extends string>(secret: S): S => {
    secrets.push(secret)
    return secret
  }
  track(wrappingJwk.k)
  const { tenant } = stack
  const password = track(`password-${crypto.randomUUID()}`)
  const wrong = track(`wrong-${crypto.randomUUID()}`)
  const userEmail = 'ann@lender.example'
  await admin(['user', 'create', tenant.name, userEmail, '--role', 'admin', '--password-stdin'], password)
  await admin(['user', 'create', tenant.name, userEmail, '--role', 'admin', '--password-stdin'], password) // in use
  await admin(
    ['user', 'create', tenant.name, 'bob@lender.example', '--role', 'boss', '--password-stdin'],
    wrong,
  )
  const [uploader, requester] = await Promise.all(
    ['uploader', 'requester'].map((role) => admin(['key', 'create', tenant.name, '--role', role])),
  )
  for (const { key } of [uploader, requester]) track(key.slice('ink_'.length))
  const { keys } = await admin(['key', 'list', tenant.name])
  expectNone('the list of keys', JSON.stringify(keys), secrets)
  for (const created of [uploader, requester])
    expect(keys.find(({ id }: { id: number }) => id === created.id).prefix).toBe(created.key.slice(0, 10))

  const logIn = async () => {
    const { status, body } = await attemptLogin(web.url, userEmail, password)
    expect(status).toBe(200)
    track(body.access_token)
    track(body.access_token.split('.')[2])
    track(body.refresh_token)
    return body
  }
  const account = (path: string, refresh_token: string) =>
    call(web.url, 'POST', `/api/account/v1/${path}`, { body: { refresh_token } })

  /** Sends valid and invalid credentials, in the expected places and in others. */
  const useAll = async () => {
    const { access_token, refresh_token } = await logIn()
    const refreshed = await account('refresh', refresh_token)
    track(refreshed.body.access_token)
    track(refreshed.body.refresh_token)
    const body = anUpload()
    await upload(web.url, uploader.key, body)
    await Promise.all([
      readInsight(web.url, access_token, body.referenceNumber),
      readByCode(web.url, requester.key, body.referenceNumber),
      readByCode(web.url, uploader.key, body.referenceNumber),
      upload(web.url, track(`ink_${crypto.randomUUID()}`), body),
      upload(web.url, access_token, body),
      readInsight(web.url, track(`${access_token}x`), body.referenceNumber),
      readInsight(web.url, refresh_token, body.referenceNumber),
      attemptLogin(web.url, userEmail, wrong),
      attemptLogin(web.url, 'nobody@lender.example', password),
      call(web.url, 'POST', '/api/account/v1/login', { body: `{"password": "${password}", "userEmail":` }),
      call(web.url, 'POST', '/api/account/v1/login', { body: { userEmail, password: `${password}\0` } }),
      call(web.url, 'GET', `/features?access_token=${access_token}&key=${uploader.key}`),
      call(web.url, 'GET', `/${requester.key}`),
      call(web.url, 'GET', '/healthz', {
        headers: { 'X-Request-Id': 'sane', Cookie: `token=${access_token}` },
      }),
      account('refresh', track(crypto.randomUUID())),
      account('refresh', refresh_token), // already used
      account('logout', refreshed.body.refresh_token),
    ])
    return { access_token, refresh_token }
  }
  /** Most of these requests fail while a store is unavailable; no error may contain a credential. */
  const tryAll = ({ access_token, refresh_token }: { access_token: string; refresh_token: string }) =>
    Promise.all([
      attemptLogin(web.url, userEmail, password),
      attemptLogin(web.url, userEmail, wrong),
      account('refresh', refresh_token),
      account('logout', refresh_token),
      upload(web.url, uploader.key, anUpload()),
      upload(web.url, track(`ink_${'B'.repeat(43)}`), anUpload()),
      assignInfo(web.url, uploader.key, { referenceNumber: 'none', additionalInfo: { a: 'b' } }),
      readByCode(web.url, requester.key, 'none'),
      readInsight(web.url, access_token, 'none'),
    ])

  await useAll()
  await stack.redis.cut()
  const session = await useAll()
  await stack.postgres.cut()
  const answers = await tryAll(session)
  expect(answers.map(({ status }) => status)).toContain(503)
  await admin(['key', 'list', tenant.name])
  await Promise.all([stack.postgres.restore(), stack.redis.restore()])
  await expect
    .poll(async () => (await attemptLogin(web.url, userEmail, password)).status, { timeout: 20_000 })
    .toBe(200)
  await useAll()
  await stack.untilProcessed(30_000)

  const [{ private_jwk: jwk }] = await stack.db('token_keys').select('private_jwk')
  const database = await listRows(stack.db)
  expect(database.api_keys?.length).toBeGreaterThan(2)
  expect(database.refresh_tokens?.length).toBeGreaterThan(2)
  expectNone('the database', JSON.stringify(database), secrets)
  const redis = new Redis(new URL(stack.redis.url).href)
  for (const key of await redis.keys('*'))
    expectNone(`Redis ${key}`, key + (await redis.dumpBuffer(key))?.toString('latin1'), secrets)
  redis.disconnect()

  await Promise.all([web.end('SIGTERM'), worker.end('SIGTERM')])
  const output = web.output() + worker.output() + adminLog
  expect(web.logged().filter(({ level }) => level >= 40).length).toBeGreaterThan(0) // errors were logged
  const { password: databasePassword } = new URL(stack.env.DATABASE_URL ?? '')
  expectNone('the logs', output, [...secrets, jwk.d, databasePassword, 'argon2id'].filter(Boolean))
  expect(secrets.length).toBeGreaterThan(20)
})
