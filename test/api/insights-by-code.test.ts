import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { call, logIn, readByCode, readInsight, upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
})
afterAll(() => service.stop())

const SIX_DIGITS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/

async function aDataset(referenceNumber?: string): Promise<string> {
  const body = anUpload(aCapture(), referenceNumber === undefined ? {} : { referenceNumber })
  expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
  return body.referenceNumber
}

describe('an insight read by API key', () => {
  const ask = (reference: string, query = '') =>
    readByCode(service.url, tenant.requesterKey, reference, query)

  test('has scores and fragments, each with the time of its calculation', async () => {
    const reference = await aDataset()
    const { status, body } = await ask(reference)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['referenceNumber', 'requestedDate', 'insights'])
    expect(body.referenceNumber).toBe(reference)
    const { body: whole } = await readInsight(service.url, token, reference)
    expect(
      body.insights.map(({ code, value }: { code: string; value: unknown }) => ({ code, value })),
    ).toEqual([
      ...whole.scores.map(({ code, value, probability }: Record<string, unknown>) => ({
        code,
        value: { value, probability },
      })),
      ...whole.fragments,
    ])
    for (const insight of body.insights) {
      expect(Object.keys(insight)).toEqual(['code', 'value', 'calculatedDate'])
      expect(insight.calculatedDate).toMatch(SIX_DIGITS)
      expect(insight.calculatedDate > whole.datasetInfo.uploadDate).toBe(true)
    }
  })

  test('with several codes in one value is rejected, with the correct form', async () => {
    for (const [query, member] of [
      ['?codes=velocity,permission', 'codes'],
      ['?codes=velocity,permission&codes=a', 'codes.0'],
    ] as const) {
      const { status, body } = await readByCode(service.url, tenant.requesterKey, 'none', query)
      expect([status, body.title]).toEqual([400, 'validation_failed'])
      expect(body.errors).toEqual({ [member]: [expect.stringContaining('codes=a&codes=b')] })
    }
  })

  test('has the requested codes; unknown ones are ignored', async () => {
    const reference = await aDataset()
    const codes = async (query: string) =>
      (await ask(reference, query)).body.insights.map(({ code }: { code: string }) => code)
    expect(await codes('')).toEqual(['demo_mobile', 'permission', 'device_info', 'velocity'])
    expect(await codes('?codes=velocity')).toEqual(['velocity'])
    expect(await codes('?codes=velocity&codes=demo_mobile')).toEqual(['demo_mobile', 'velocity'])
    expect(await codes('?codes=velocity&codes=unknown&codes=__proto__&other=1')).toEqual(['velocity'])
    expect(await codes('?codes=unknown')).toEqual([])
    expect(await codes('?codes=demo_web')).toEqual([])
  })

  test('is 404 for keys of other subscriptions', async () => {
    const { requesterKey } = await service.openTenant()
    const { status, body } = await readByCode(service.url, requesterKey, await aDataset())
    expect([status, body.title]).toEqual([404, 'dataset_not_found'])
  })
})

describe('the reference number in the path', () => {
  test.each([
    ['#123456789', '%23123456789'],
    ['a/b', 'a%2Fb'],
    ['a/../b', 'a%2F..%2Fb'],
    ['Zürich-東京-😀', 'Z%C3%BCrich-%E6%9D%B1%E4%BA%AC-%F0%9F%98%80'],
    ['100 % + 1?&=', '100%20%25%20%2B%201%3F%26%3D'],
    ['a+b', 'a+b'],
    ['%41', '%2541'],
    ['LN_2026-1', 'LN_2026-1'],
    ['datasetinsight', 'datasetinsight'],
  ])('%j is asked for as %s', async (referenceNumber, encoded) => {
    await aDataset(referenceNumber)
    const path = `/v6.0/datasets/${encoded}/datasetinsight`
    const byToken = await call(service.url, 'GET', path, { token })
    expect([byToken.status, byToken.body.datasetInfo?.referenceNumber]).toEqual([200, referenceNumber])
    const byKey = await call(service.url, 'GET', `/api/insights/v1/${encoded}`, {
      token: tenant.requesterKey,
    })
    expect([byKey.status, byKey.body.referenceNumber]).toEqual([200, referenceNumber])
  })

  test('is case-sensitive, the rest of the path is not', async () => {
    const reference = await aDataset('Case-Matters')
    const ask = (path: string) => call(service.url, 'GET', path, { token })
    const answer = await ask('/V6.0/DataSets/Case-Matters/DATASETINSIGHT')
    expect([answer.status, answer.body.datasetInfo?.referenceNumber]).toEqual([200, reference])
    expect((await ask('/v6.0/datasets/case-matters/datasetinsight')).body.title).toBe('dataset_not_found')
  })

  test.each(['%', '%zz', '%ff', '%E6%9D', '%00', 'x'.repeat(101), '%F0%9F%98%80'.repeat(101)])(
    '%s names no dataset',
    async (encoded) => {
      for (const [path, credential] of [
        [`/v6.0/datasets/${encoded}/datasetinsight`, token],
        [`/api/insights/v1/${encoded}`, tenant.requesterKey],
      ] as const) {
        const { status, body } = await call(service.url, 'GET', path, { token: credential })
        expect([status, body.title]).toEqual([404, 'dataset_not_found'])
      }
    },
  )
})
