import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCompressed } from '../../api/http/compress-response.ts'
import { logInAsAdmin } from '../support/admin.ts'
import { anUpload } from '../support/captures.ts'
import { declared, readInsight, upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  token = await logInAsAdmin(service, tenant)
  for (let n = 0; n < 30; n++) {
    const sent = await upload(
      service.url,
      tenant.uploaderKey,
      anUpload(undefined, { referenceNumber: `LN-${n}` }),
    )
    expect(sent.status).toBe(200)
  }
  for (let n = 0; n < 30; n++) await readInsight(service.url, token, `LN-${n}`)
})
afterAll(() => service.stop())

/** An answer as its bytes are on the wire. */
async function send(path: string, encodings: string, credential = token) {
  const headers = { 'Accept-Encoding': encodings, Authorization: `Bearer ${credential}` }
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number | undefined
    encoding: string | undefined
    vary: string | undefined
    bytes: Buffer
  }>()
  request(service.url + path, { headers }, async (answer) => {
    const { vary, 'content-encoding': encoding } = answer.headers
    resolve({ status: answer.statusCode, encoding, vary, bytes: await buffer(answer) })
  })
    .on('error', reject)
    .end()
  const answer = await promise
  expect([path, answer.status]).toEqual([path, 200])
  return answer
}

test.each([
  ['br, gzip, zstd', 'zstd', zstdDecompressSync],
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
] as const)(
  'a list is compressed for a client that accepts %s, by %s',
  async (encodings, encoding, decompress) => {
    const plain = await send('/api/datasets/v1?limit=100', 'identity')
    expect(plain).toMatchObject({ encoding: undefined, vary: 'Accept-Encoding' })
    const compressed = await send('/api/datasets/v1?limit=100', encodings)
    expect(compressed).toMatchObject({ encoding, vary: 'Accept-Encoding' })
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 3)
    expect(decompress(compressed.bytes).toString()).toBe(plain.bytes.toString())
  },
)

test('short responses, responses close to secrets and responses to API keys are not compressed', async () => {
  expect((await send('/api/datasets/v1?limit=1', 'gzip')).encoding).toBeUndefined()
  for (const [path, credential] of [
    ['/api/users/v1', token],
    ['/api/keys/v1', token],
    ['/api/account/v1/sessions', token],
    ['/api/insights/v1/LN-29?codes=demo_mobile', tenant.requesterKey],
  ] as const) {
    const { encoding, vary } = await send(path, 'gzip', credential)
    expect([path, encoding, vary]).toEqual([path, undefined, undefined])
  }
})

test('no response that issues a token, a key or a link is compressed, whatever its length', () => {
  const issuing = declared.filter(({ method }) => method !== 'get')
  expect(issuing.map(({ path }) => path)).toContain('/api/account/v1/login')
  expect(issuing.filter((endpoint) => isCompressed(endpoint, undefined))).toEqual([])
})
