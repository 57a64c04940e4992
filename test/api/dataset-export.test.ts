import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { promoteScorecard } from '../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../db/scorecards/scorecards.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { call, logIn, readInsight, upload } from '../support/client.ts'
import { aScorecard } from '../support/scorecards.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string
let big: Tenant
let bigToken: string

/** One more than the maximum of a file. */
const MANY = 100_001

/** Rows of one insert: statements are cancelled after 15 s. */
const FILL_ROWS = 20_000

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
  big = await service.openTenant()
  bigToken = await logIn(service.url, big)
  for (let from = 1; from <= MANY; from += FILL_ROWS)
    await queryRows(
      service.db,
      `insert into datasets (subscription_id, reference_number, data_hash, status, platform, device_id, uploaded_at)
       select ?, 'LN-' || n, '', 'ready', case when n % 1000 = 0 then 'web' else 'android' end, repeat(md5(n::text), 10),
              now() - interval '2 days' + n * interval '1 second'
       from generate_series(?::integer, ?::integer) n`,
      [big.subscriptionId, from, Math.min(MANY, from + FILL_ROWS - 1)],
    )
}, 60_000)
afterAll(() => service.stop())

const exported = (query: Record<string, string>, of = token) =>
  call(service.url, 'GET', `/api/exports/v1/datasets?${new URLSearchParams(query)}`, { token: of })
const linesOf = (csv: string): string[][] => parse(csv)
/** Lines after the header of a file without line breaks in cells; to parse 100,000 takes seconds. */
const splitLines = (csv: string): string[] => csv.split('\r\n').slice(1, -1)
const referenceOf = (line: string) => /^"([^"]*)"/.exec(line)?.[1]

test('an export by POST has the same file as one by GET', async () => {
  const filters = { platform: 'android', limit: '3' }
  const posted = await call(service.url, 'POST', '/api/exports/v1/datasets', { token, body: filters })
  expect(posted.headers.get('content-disposition')).toMatch(/^attachment; filename="datasets-.*\.csv"$/)
  expect(posted.body).toEqual((await exported(filters)).body)
})

/** Texts that are awkward in a spreadsheet, and as a file has them. */
const AWKWARD: Readonly<Record<string, string>> = {
  ...{ '=1+1': "'=1+1", '+1': "'+1", '-1': "'-1", '@x': "'@x", '\ttab': "'\ttab", '\t=1': "'\t'=1" },
  ...{ 'x;=1+1;y': "x;'=1+1;y", 'x, "+1': `x, "'+1`, 'x\t@y|-1': "x\t'@y|'-1", 'x\r\n=1': "x\r\n'=1" },
  ...{
    'a,b': 'a,b',
    'say "so"': 'say "so"',
    'line\r\nbreak': 'line\r\nbreak',
    ünï: 'ünï',
    ' edge ': ' edge ',
  },
  ...{ 'x=1; y-1': 'x=1; y-1', ' =1': " '=1", '＝1': "'＝1" },
}

const INFO = { clientId: '=C', 'a, b': 'say "so"\r\n', formulas: ';=1, @x;"-1"|+1', '=key': '-1' }

test('a file has the datasets of the list, every cell is quoted, and no text in it is a formula', async () => {
  const awkward = Object.keys(AWKWARD)
  for (const referenceNumber of awkward) {
    const body = anUpload(aCapture(), { referenceNumber, additionalInfo: INFO })
    expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
    await readInsight(service.url, token, referenceNumber)
  }
  const { body: csv, headers } = await exported({ status: 'ready' })
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="datasets-[\d-]+\.csv"$/)

  const { items } = (await call(service.url, 'GET', '/api/datasets/v1', { token })).body
  expect(headers.get('inkling-oldest-upload')).toBe(items.at(-1).uploadedAt)
  const codes = ['demo_mobile', 'demo_web']
  const [names = [], ...lines] = linesOf(csv)
  expect(names).toEqual([
    ...['referenceNumber', 'status', 'platform', 'uploadedAt', 'settledAt', 'deviceId', 'clientId'],
    ...['invalidCode', 'invalidDetail'],
    ...codes.flatMap((code) => [code, `${code} probability`]),
    ...codes.flatMap((code) => [`${code} reason codes`, `${code} reasons`]),
    'additionalInfo',
  ])
  expect(lines).toHaveLength(awkward.length)
  for (const [at, line] of lines.entries()) {
    const cells = Object.fromEntries(names.map((name, n) => [name, line[n]]))
    const item = items[at]
    const [score] = item.scores
    const path = `/api/insights/v1/${encodeURIComponent(item.referenceNumber)}/explanation`
    const [{ reasons }] = (await call(service.url, 'GET', path, { token })).body.scores
    expect(reasons.length).toBeGreaterThan(1)
    expect(cells).toMatchObject({
      referenceNumber: AWKWARD[item.referenceNumber],
      status: 'ready',
      platform: 'android',
      uploadedAt: `${item.uploadedAt}Z`,
      settledAt: `${item.settledAt}Z`,
      deviceId: 'device-1',
      clientId: "'=C",
      invalidCode: '',
      [score.code]: String(score.value),
      [`${score.code} probability`]: String(score.probability),
      [`${score.code} reason codes`]: reasons.map(({ code }: { code: string }) => code).join('; '),
      [`${score.code} reasons`]: reasons.map(({ text }: { text: string }) => text).join('; '),
      'demo_web reasons': '',
    })
  }
  const info = lines[0]?.at(-1) ?? ''
  expect(JSON.parse(info)).toEqual(INFO)
  expect(info).not.toMatch(/[,;|][ "]*[=+\-@]/)
  expect(csv).toMatch(/^("([^"]|"")*"(,(?=")|\r\n))+$/)
})

test('codes and texts of reasons are no formulas either', async () => {
  const other = await service.openTenant()
  const { subscriptionId } = other
  const definition = aScorecard({
    name: 'Awkward',
    model: {
      kind: 'points',
      basePoints: 600,
      characteristics: ['A', 'B'].map((name) => ({
        ...{ name, input: 'contacts', reasonCode: `=${name}`, baseline: 20 },
        attributes: [
          { missing: true, points: 20 },
          { else: true, points: name === 'A' ? 1 : 2 },
        ],
      })),
    },
    reasons: { texts: { '=A': { en: '=HYPERLINK("x")' }, '=B': { en: 'B, too' } } },
  })
  await service.db.transaction(async (trx) => {
    const version = await saveDefinition(trx, subscriptionId, definition)
    await promoteScorecard(trx, { subscriptionId, code: '+card', version })
  })
  const ofOther = await logIn(service.url, other)
  const body = anUpload(aCapture({ contacts: { count: 5 } }))
  await upload(service.url, other.uploaderKey, body)
  await readInsight(service.url, ofOther, body.referenceNumber)
  const [names = [], line = []] = linesOf((await exported({}, ofOther)).body)
  const cells = Object.fromEntries(names.map((name, n) => [name, line[n]]))
  expect(cells).toMatchObject({
    "'+card reason codes": "'=A; '=B",
    "'+card reasons": `'=HYPERLINK("x"); B, too`,
    additionalInfo: '',
  })
})

test('a file that does not have all datasets ends with the cursor of the next one, and together they have each dataset once', async () => {
  const first = splitLines((await exported({}, bigToken)).body)
  expect(first).toHaveLength(MANY) // 100,000 and the cursor
  expect(first.pop()).toMatch(/^"#next\?cursor=LN-2"(,"")+$/)
  const second = splitLines((await exported({ cursor: 'LN-2' }, bigToken)).body)
  expect(second.map(referenceOf)).toEqual(['LN-1'])
  expect(new Set(first.map(referenceOf)).size).toBe(MANY - 1)
}, 60_000)

test('a file has only the datasets of the search', async () => {
  const lines = linesOf((await exported({ platform: 'web' }, bigToken)).body).slice(1)
  expect(lines).toHaveLength(100)
  expect((await exported({ status: 'no' })).body.title).toBe('validation_failed')
})

test('a client that disconnects stops the search and frees a slot for the next export', async () => {
  const start = () =>
    new Promise<{ disconnect(): void }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${bigToken}` }
      const request = get(`${service.url}/api/exports/v1/datasets`, { headers }, (response) => {
        response.pause() // reads no further than the sockets' buffers
        response.on('error', () => undefined)
        resolve({ disconnect: () => request.destroy() })
      }).on('error', reject)
    })
  const two = [await start(), await start()]
  await delay(500)
  const rejected = await exported({}, bigToken)
  expect([rejected.status, rejected.body.title]).toEqual([429, 'rate_limited'])
  expect(rejected.headers.get('retry-after')).toBe('10')
  expect((await exported({ status: 'invalid' })).status).toBe(200) // another subscription's
  for (const one of two) one.disconnect()
  await expect
    .poll(async () => (await exported({ status: 'invalid' }, bigToken)).status, { timeout: 5_000 })
    .toBe(200)
  const listBusy = () =>
    queryRows(
      service.db,
      `select query from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`,
    )
  await expect.poll(listBusy, { timeout: 2_000 }).toEqual([])
}, 60_000)
