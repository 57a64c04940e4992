import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCapture, anUpload, encodeText } from '../support/captures.ts'
import { call, logIn, readInsight, upload } from '../support/client.ts'
import { addUser, type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string

/** Reference numbers in the order of their upload, and what each dataset is. */
const UPLOADS = {
  'LN-1': { platform: 'android', device: 'phone-1', client: 'C-1' },
  'LN-10': { platform: 'ios', device: 'phone-2', client: 'C-1' },
  'ln-2': { platform: 'web', device: 'browser', client: undefined },
  'LN-3': { platform: undefined, device: undefined, client: 'C-2' },
  'x%_*': { platform: 'android', device: 'phone-1', client: 'C-2' },
  'LN-99': { platform: 'android', device: 'phone-1', client: 'C-1' },
} as const

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  const email = 'boss@lender.example'
  await addUser(service.db, tenant.subscriptionId, email, 'admin')
  token = await logIn(service.url, { userEmail: email })
  for (const [referenceNumber, { platform, device, client }] of Object.entries(UPLOADS)) {
    const members = { referenceNumber, ...(client && { additionalInfo: { clientId: client } }) }
    const body = platform
      ? anUpload(aCapture({ platform, device: { id: device } }), members)
      : anUpload(undefined, { ...members, data: encodeText('{}') })
    expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
    await readInsight(service.url, token, referenceNumber)
  }
  await call(service.url, 'DELETE', '/api/datasets/v1/LN-99', { token })
})
afterAll(() => service.stop())

const list = (query: Record<string, string | number> = {}) =>
  call(service.url, 'GET', `/api/datasets/v1?${new URLSearchParams(query as Record<string, string>)}`, {
    token,
  })
const referencesOf = ({ body }: { body: { items: { referenceNumber: string }[] } }) =>
  body.items.map(({ referenceNumber }) => referenceNumber)

test('a search in the body of a POST finds the same as in the query', async () => {
  const search = (body: object) => call(service.url, 'POST', '/api/datasets/v1/search', { token, body })
  for (const filters of [{}, { clientId: 'C-1', limit: 1 }, { search: 'ln-', status: 'ready' }])
    expect((await search(filters)).body).toEqual((await list(filters)).body)
  expect((await search({ scoreFrom: 1 })).body.errors).toEqual({
    scoreCode: ['is required with scoreFrom or scoreTo'],
  })
})

test('lists the newest first, each as the record endpoint returns it', async () => {
  const { status, body } = await list()
  expect(status).toBe(200)
  expect(referencesOf({ body })).toEqual(Object.keys(UPLOADS).toReversed())
  expect(body.next).toBe(null)
  expect(body.searchedThrough).toEqual({ referenceNumber: 'LN-1', uploadedAt: body.items[5].uploadedAt })
  for (const item of body.items) {
    const path = `/api/datasets/v1/${encodeURIComponent(item.referenceNumber)}`
    const { additionalInfo, velocity, velocityNow, dataKept, collection, ...shown } = (
      await call(service.url, 'GET', path, { token })
    ).body
    expect(item).toEqual(shown)
  }
})

test.each([
  [{ referenceNumber: 'LN-1' }, ['LN-1', 'LN-10']],
  [{ referenceNumber: 'LN' }, ['LN-1', 'LN-10', 'LN-3', 'LN-99']],
  [{ referenceNumber: 'ln' }, ['ln-2']],
  [{ referenceNumber: 'x%_*' }, ['x%_*']],
  [{ referenceNumber: '%' }, []],
  [{ search: 'ln-1' }, ['LN-1', 'LN-10']],
  [{ search: 'ln' }, ['LN-1', 'LN-10', 'ln-2', 'LN-3', 'LN-99']],
  [{ search: 'c-1' }, ['LN-10', 'LN-1']],
  [{ search: 'PHONE' }, ['x%_*', 'LN-1', 'LN-10']],
  [{ search: 'ln', status: 'ready' }, ['LN-1', 'LN-10', 'ln-2']],
  [{ search: 'ln', referenceNumber: 'LN-1' }, ['LN-1', 'LN-10']],
  [{ search: 'hone' }, []],
  [{ status: 'ready' }, ['x%_*', 'ln-2', 'LN-10', 'LN-1']],
  [{ status: 'invalid' }, ['LN-3']],
  [{ status: 'deleted' }, ['LN-99']],
  [{ status: 'received' }, []],
  [{ invalidCode: 'not_a_capture' }, []],
  [{ invalidCode: 'unsupported_format' }, ['LN-3']],
  [{ invalidCode: 'unsupported_format', status: 'ready' }, []],
  [{ platform: 'android' }, ['x%_*', 'LN-1']],
  [{ platform: 'web' }, ['ln-2']],
  [{ clientId: 'C-1' }, ['LN-10', 'LN-1']],
  [{ clientId: 'C-2' }, ['x%_*', 'LN-3']],
  [{ clientId: 'C-2', referenceNumber: 'LN' }, ['LN-3']],
  [{ clientId: 'C-2', status: 'ready' }, ['x%_*']],
  [{ deviceId: 'phone-1' }, ['x%_*', 'LN-1']],
  [{ deviceId: 'phone-1', clientId: 'C-1', platform: 'android' }, ['LN-1']],
  [{ deviceId: 'nobody’s' }, []],
])('by %j it finds %j', async (query, found) => {
  expect(referencesOf(await list(query))).toEqual(found)
})

test('since and until filter by the time of upload', async () => {
  const { items } = (await list()).body
  const [, newer, since, , older] = items as { uploadedAt: string; referenceNumber: string }[]
  expect(referencesOf(await list({ since: `${since?.uploadedAt}Z` }))).toHaveLength(3)
  expect(
    referencesOf(await list({ since: since?.uploadedAt ?? '', until: newer?.uploadedAt ?? '' })),
  ).toEqual([since?.referenceNumber])
  expect(referencesOf(await list({ until: older?.uploadedAt ?? '' }))).toEqual(['LN-1'])
  expect(referencesOf(await list({ since: '2100-01-01T00:00:00+01:00' }))).toEqual([])
  expect(referencesOf(await list({ until: '2001-01-01T00:00:00Z' }))).toEqual([])
})

test('a score range filters by the score of the code', async () => {
  const { items } = (await list()).body
  const scored = items.filter((item: { scores: { value: number }[] }) => item.scores[0]?.value != null)
  expect(scored.length).toBeGreaterThan(1)
  const { code, value } = scored[0].scores[0]
  const others = (from: number, to: number) => list({ scoreCode: code, scoreFrom: from, scoreTo: to })
  const withScore = (from: number, to: number) =>
    scored
      .filter(({ scores: [score] }: { scores: { code: string; value: number }[] }) => {
        return score !== undefined && score.code === code && score.value >= from && score.value <= to
      })
      .map(({ referenceNumber }: { referenceNumber: string }) => referenceNumber)
  expect(referencesOf(await others(value, value))).toEqual(withScore(value, value))
  expect(referencesOf(await list({ scoreCode: code }))).toEqual(withScore(0, 10_000))
  expect(referencesOf(await others(value + 1, 10_000))).toEqual(withScore(value + 1, 10_000))
  expect(referencesOf(await list({ scoreCode: 'none' }))).toEqual([])
})

describe('pages', () => {
  const walk = async (query: Record<string, string>) => {
    const pages: string[][] = []
    let cursor: string | null = null
    do {
      const { body } = await list({ ...query, limit: 2, ...(cursor !== null && { cursor }) })
      pages.push(referencesOf({ body }))
      cursor = body.next
    } while (cursor !== null)
    return pages
  }

  test.each([
    [
      {},
      [
        ['LN-99', 'x%_*'],
        ['LN-3', 'ln-2'],
        ['LN-10', 'LN-1'],
      ],
    ],
    [
      { referenceNumber: 'LN' },
      [
        ['LN-1', 'LN-10'],
        ['LN-3', 'LN-99'],
      ],
    ],
    [{ search: 'PHONE' }, [['x%_*', 'LN-1'], ['LN-10']]],
    [
      { status: 'ready' },
      [
        ['x%_*', 'ln-2'],
        ['LN-10', 'LN-1'],
      ],
    ],
    [{ platform: 'android' }, [['x%_*', 'LN-1']]],
    [{ deviceId: 'phone-1' }, [['x%_*', 'LN-1']]],
  ])('of %j follow each other without gap or repetition', async (query, pages) => {
    expect(await walk(query)).toEqual(pages)
  })

  test('are stable while new datasets arrive', async () => {
    const { body } = await list({ limit: 3 })
    const body2 = anUpload(aCapture(), { referenceNumber: 'LN-new' })
    await upload(service.url, tenant.uploaderKey, body2)
    expect(referencesOf(await list({ limit: 3, cursor: body.next }))).toEqual(['ln-2', 'LN-10', 'LN-1'])
    expect(referencesOf(await list({ limit: 1 }))).toEqual(['LN-new'])
  })
})

test.each([
  [{ cursor: 'nothing' }, 'cursor'],
  [{ search: 'phone', cursor: 'LN-3' }, 'cursor'],
  [{ search: 'x'.repeat(101) }, 'search'],
  [{ status: 'waiting' }, 'status'],
  [{ limit: '101' }, 'limit'],
  [{ since: 'yesterday' }, 'since'],
  [{ scoreFrom: '600' }, 'scoreCode'],
  [{ scoreCode: 'a', scoreFrom: '700', scoreTo: '600' }, 'scoreTo'],
  [{ scoreCode: 'a', scoreFrom: 'high' }, 'scoreFrom'],
])('%j is rejected, and why', async (query, member) => {
  const { status, body } = await list(query)
  expect([status, body.title, Object.keys(body.errors)]).toEqual([400, 'validation_failed', [member]])
})
