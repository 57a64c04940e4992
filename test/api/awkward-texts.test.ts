import { afterAll, beforeAll, expect, test } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { AWKWARD_TEXTS } from '../support/arbitrary-captures.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import {
  type Answer,
  assignInfo,
  attemptLogin,
  call,
  logIn,
  readByCode,
  readInsight,
  upload,
} from '../support/client.ts'
import { requestRaw } from '../support/raw-request.ts'
import { PASSWORD, type Service, startService, type Tenant } from '../support/service.ts'

const TEXTS: readonly string[] = [
  ...AWKWARD_TEXTS,
  '😀'.repeat(100),
  '😀'.repeat(101),
  'e\u0301'.repeat(50), // as many code points as characters on the screen twice over
  '\u009b31mred', // the same escape in one byte of Latin-1
  '\u001b]0;title\u0007',
  'line\r\n{"level":60,"msg":"forged"}\r\n',
  '\u0085\u2028',
  '\ufffe\uffff',
  '\u{10ffff}',
  '../../etc/passwd',
  '%00%0a',
  '{{7*7}}<script>alert(1)</script>',
  "\\'; select pg_sleep(10) --",
]

/** What Postgres can hold, in as many code points; an empty text has none. */
const isStorable = (text: string, max: number, min = 1) =>
  text.isWellFormed() && !text.includes('\0') && [...text].length <= max && text.length >= min

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService({ trustedProxies: ['127.0.0.1'] })
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
})
afterAll(() => service.stop())

/** Refused with the member's name, and a sentence without the text in it. */
function expectRefused({ status, body }: Answer, member: string): void {
  expect([status, body.title, Object.keys(body.errors)]).toEqual([400, 'validation_failed', [member]])
}

test('a reference number is stored and returned as sent, or rejected', async () => {
  for (const referenceNumber of TEXTS) {
    const answer = await upload(service.url, tenant.uploaderKey, { ...anUpload(), referenceNumber })
    if (!isStorable(referenceNumber, 100)) {
      expectRefused(answer, 'referenceNumber')
      continue
    }
    expect([answer.status, answer.body.referenceNumber]).toEqual([200, referenceNumber])
    const { body } = await readByCode(service.url, tenant.requesterKey, referenceNumber)
    expect(body.referenceNumber).toBe(referenceNumber)
    const insight = await readInsight(service.url, token, referenceNumber)
    expect(insight.body.datasetInfo.referenceNumber).toBe(referenceNumber)
  }
  const rows = await queryRows<{ name: string }>(service.db, 'select reference_number as name from datasets')
  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    TEXTS.filter((text) => isStorable(text, 100)).toSorted(),
  )
})

test('Additional Info, in keys and in values, is stored and returned as sent, or rejected', async () => {
  const body = anUpload()
  await upload(service.url, tenant.uploaderKey, body)
  const { referenceNumber } = body
  const saved: Record<string, string> = {}
  for (const [n, text] of TEXTS.entries()) {
    const infos = [
      [{ [text]: 'value' }, isStorable(text, 100)],
      [{ [`key ${n}`]: text }, isStorable(text, 1_000, 0)],
    ] as const
    for (const [additionalInfo, accepted] of infos) {
      const answer = await assignInfo(service.url, tenant.uploaderKey, { referenceNumber, additionalInfo })
      if (!accepted) {
        expect([answer.status, answer.body.title]).toEqual([400, 'validation_failed'])
        continue
      }
      Object.assign(saved, additionalInfo)
      expect(answer.status).toBe(200)
      expect({ ...answer.body.additionalInfo }).toEqual(saved)
    }
  }
  expect(Object.keys(saved).length).toBeGreaterThan(30)
})

test('an invalid address is stored as sent, or rejected; from a proxy it is ignored', async () => {
  for (const realIp of TEXTS) {
    const body = anUpload(undefined, { realIp })
    const answer = await upload(service.url, tenant.uploaderKey, body)
    if (!isStorable(realIp, 1_000, 0)) {
      expectRefused(answer, 'realIp')
      continue
    }
    expect(answer.status).toBe(200)
    expect(await addressOf(body.referenceNumber)).toBe(realIp)
    expect((await readByCode(service.url, tenant.requesterKey, body.referenceNumber)).status).toBe(200)
  }
  for (const header of ['\u009b31m', "'; drop table datasets; --", '::1%\u00ff', 'x'.repeat(4_000)]) {
    const body = anUpload()
    const headers = {
      Authorization: `Bearer ${tenant.uploaderKey}`,
      'Content-Type': 'application/json',
      'X-Real-IP': header,
    }
    const { status } = await requestRaw(
      `${service.url}/api/datasets/v1/upload`,
      { method: 'POST', headers },
      (request) => request.end(JSON.stringify(body)),
    )
    expect(status).toBe(200)
    expect(await addressOf(body.referenceNumber)).toBeNull()
  }
})

const addressOf = async (referenceNumber: string) =>
  (
    await queryRows<{ realIp: string | null }>(
      service.db,
      'select real_ip as "realIp" from datasets where reference_number = ?',
      [referenceNumber],
    )
  )[0]?.realIp

test('every text of a capture about its device and applications is returned as sent', async () => {
  for (const text of TEXTS) {
    const some = text || 'x'
    const body = anUpload(
      aCapture({
        sdk: { version: text, modules: [text, 'core'] },
        device: { ...{ id: text, brand: text, model: text, osVersion: text, locale: text, timeZone: text } },
        permissions: [{ name: some, granted: true }],
        apps: [{ package: some, category: text }],
        accounts: { count: 1, byType: { [text]: 1 } },
      }),
    )
    expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
    const answer = await readByCode(service.url, tenant.requesterKey, body.referenceNumber)
    expect(answer.status).toBe(200)
    const valueFor = (code: string) =>
      answer.body.insights.find((one: { code: string }) => one.code === code).value
    expect(valueFor('device_info')).toMatchObject({ deviceID: text, brand: text, model: text })
    expect(JSON.stringify(valueFor('permission'))).toContain(JSON.stringify(some))
  }
})

test('an error detail quotes names of the capture, truncated and safe to store', async () => {
  for (const text of TEXTS) {
    const body = anUpload(aCapture({ accounts: { count: 1, byType: { [text]: 'none' } } }))
    expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
    const answer = await readByCode(service.url, tenant.requesterKey, body.referenceNumber)
    expect([answer.status, answer.body.title]).toEqual([422, 'dataset_invalid'])
    expect(answer.body.detail).toContain('accounts.byType.')
    expect(answer.body.detail.isWellFormed()).toBe(true)
  }
})

test('every text at the login is an unknown user or rejected', async () => {
  const stranger = await service.openTenant() // whose failed attempts block nobody else's log-in
  for (const text of TEXTS) {
    const answers = [
      await attemptLogin(service.url, text, PASSWORD),
      await attemptLogin(service.url, stranger.userEmail, text || 'x'),
    ]
    for (const { status, body } of answers)
      expect(['400 validation_failed', '401 invalid_credentials', '429 rate_limited']).toContain(
        `${status} ${body.title}`,
      )
  }
  for (const text of TEXTS)
    for (const path of ['refresh', 'logout']) {
      const body = { refresh_token: text }
      const { status } = await call(service.url, 'POST', `/api/account/v1/${path}`, { body })
      expect([204, 400, 401]).toContain(status)
    }
})

test('every sequence of bytes in a path or query is an unknown dataset or path', async () => {
  const sequences = [
    ...TEXTS.filter((text) => text.isWellFormed() && text !== '').map(encodeURIComponent),
    ...['%', '%0', '%zz', '%00', 'a%00b', '%0d%0aX-Forged:%201', '%1b%5b31m', '%c2%9b31m'],
    ...[
      '%ff',
      '%c0%80',
      '%ed%a0%80',
      '%f4%90%80%80',
      '%e2%82',
      '%ef%bf%be',
      '%2e%2e%2f',
      '%25',
      '%3f',
      '%23',
    ],
  ]
  for (const sequence of sequences) {
    const reads = [
      [`/v6.0/datasets/never-${sequence}/datasetinsight`, token],
      [`/api/insights/v1/never-${sequence}`, tenant.requesterKey],
      [`/api/insights/v1/never?codes=${sequence}&codes=`, tenant.requesterKey],
      [`/${sequence}`, undefined],
    ] as const
    for (const [path, credential] of reads) {
      const { status, body } = await call(service.url, 'GET', path, {
        ...(credential !== undefined && { token: credential }),
      })
      expect([400, 404], path).toContain(status)
      expect(JSON.stringify(body)).not.toContain('orged')
    }
  }
})

test('an invalid request id is replaced, and no header reaches the response or the log', async () => {
  const values = [
    '\u009b31m',
    '\u00ff',
    'a b',
    'a;b',
    '"',
    '{"a":1}',
    'x'.repeat(129),
    '../..',
    '<b>',
    '',
    '\t',
  ]
  for (const value of values) {
    const { status, headers } = await requestRaw(
      `${service.url}/healthz`,
      { headers: { 'X-Request-Id': value, 'User-Agent': value, Referer: value } },
      (request) => request.end(),
    )
    expect(status).toBe(200)
    expect(headers['x-request-id']).toMatch(value === '../..' ? /^\.\.\/\.\.$/ : /^[\da-f-]{36}$/)
  }
  for (const credential of ['\u009b31m', '\u00ff', "' or true --", 'ink_'.repeat(1_000)]) {
    const { status } = await requestRaw(
      `${service.url}/api/insights/v1/x`,
      { headers: { Authorization: `Bearer ${credential}` } },
      (request) => request.end(),
    )
    expect(status).toBe(401)
  }
})

/** All that is below the space, but for the line's end, and the same range of Latin-1, which some terminals obey. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

test('afterwards each log entry is one line of JSON, none reports an internal error, none has a control character', () => {
  expect(service.logged.length).toBeGreaterThan(300)
  for (const line of service.logged) {
    expect(line.endsWith('\n')).toBe(true)
    const entry = line.slice(0, -1)
    expect(entry).not.toMatch(CONTROL)
    expect(JSON.parse(entry).level, entry).toBeLessThan(40)
  }
  const log = service.logged.join('')
  for (const sent of ['forged', 'drop table', 'pg_sleep', '[31m', '😀', 'etc/passwd'])
    expect(log).not.toContain(sent)
})
