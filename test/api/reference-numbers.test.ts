import { afterAll, beforeAll, expect, test } from 'vitest'
import { logInAsAdmin } from '../support/admin.ts'
import { anUpload } from '../support/captures.ts'
import { call, declared, upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  token = await logInAsAdmin(service, tenant)
})
afterAll(() => service.stop())

/** Numbers with characters that mean something in a path, or are a word of one. */
const NUMBERS = [
  ...[
    'a/b',
    '/',
    '//',
    'a/../b',
    '../..',
    './a',
    '...',
    '.a',
    '..;',
    '%2F',
    '%2e',
    '%',
    '%25',
    '\\',
    '..\\..',
  ],
  ...[
    '?',
    '#',
    '&',
    '+',
    ' ',
    ' a ',
    ';a=b',
    ':',
    '*',
    'upload',
    'UPLOAD',
    'timeline',
    'Größe',
    '参考',
    '😀',
  ],
]

const routes = declared.filter(({ path }) => path.includes(':referenceNumber'))

test.each(NUMBERS)(
  'the dataset %j is found by every route that takes its number',
  async (referenceNumber) => {
    const body = anUpload(undefined, { referenceNumber })
    expect((await upload(service.url, tenant.uploaderKey, body)).body.referenceNumber).toBe(referenceNumber)
    const inOrder = routes.toSorted((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'))
    expect(inOrder).toHaveLength(8)
    for (const { method, path, credential, response: answer } of inOrder) {
      const address = path.replace(':referenceNumber', encodeURIComponent(referenceNumber))
      const { status, body } = await call(service.url, method.toUpperCase(), address, {
        token: credential.kind === 'key' ? tenant.requesterKey : token,
      })
      expect([address, status]).toEqual([address, answer.status])
      if (status === 200) expect((body.datasetInfo ?? body).referenceNumber).toBe(referenceNumber)
    }
  },
)

test.each(['.', '..'])(
  '%s, which clients remove from a path, is rejected with the reason',
  async (number) => {
    const { status, body } = await upload(
      service.url,
      tenant.uploaderKey,
      anUpload(undefined, { referenceNumber: number }),
    )
    expect([status, body.title]).toEqual([400, 'validation_failed'])
    expect(body.errors.referenceNumber).toEqual([expect.stringContaining('must not be . or ..')])
    // the reason: a URL has no such segment, however it is encoded
    const { pathname } = new URL(`/api/insights/v1/${number.replaceAll('.', '%2e')}`, service.url)
    expect(pathname).not.toContain('/v1/%2e')
  },
)
