import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { type Answer, call } from '../support/client.ts'
import { requestRaw } from '../support/raw-request.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

const MAX_BODY_BYTES = 64 * 1024
const UPLOAD = '/api/datasets/v1/upload'

let service: Service
let tenant: Tenant

beforeAll(async () => {
  service = await startService({ worker: false, maxBodyBytes: MAX_BODY_BYTES })
  tenant = await service.openTenant()
})
afterAll(() => service.stop())

const send = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
  call(service.url, 'POST', UPLOAD, {
    token: tenant.uploaderKey,
    body: new Blob([typeof body === 'string' ? body : new Uint8Array(body)]),
    headers: { 'Content-Type': 'application/json', ...headers },
  })

const titleOf = ({ status, body }: Answer) => [status, body.title]

/** An upload of exactly so many bytes of JSON. */
function anUploadOf(bytes: number): string {
  const body = { ...anUpload(), padding: '' }
  return JSON.stringify({ ...body, padding: ' '.repeat(bytes - JSON.stringify(body).length) })
}

describe('the media type', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'APPLICATION/JSON',
  ])('%s is JSON', async (type) => {
    expect((await send(anUploadOf(1_000), { 'Content-Type': type })).status).toBe(200)
  })

  test.each([
    'text/plain',
    'text/json',
    'application/xml',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'json',
  ])('%s is not supported', async (type) => {
    expect(titleOf(await send(anUploadOf(1_000), { 'Content-Type': type }))).toEqual([
      415,
      'unsupported_media_type',
    ])
  })

  test('is required', async () => {
    const { status, body } = await requestRaw(
      service.url + UPLOAD,
      { method: 'POST', headers: { Authorization: `Bearer ${tenant.uploaderKey}` } },
      (request) => request.end(anUploadOf(1_000)),
    )
    expect([status, body.title]).toEqual([415, 'unsupported_media_type'])
  })

  test('is checked after the credential', async () => {
    const { status } = await call(service.url, 'POST', UPLOAD, {
      body: 'x',
      headers: { 'Content-Type': 'text/plain' },
    })
    expect(status).toBe(401)
  })
})

test.each<[string, string | Buffer]>([
  ['empty', ''],
  ['cut short', '{"referenceNumber": "a", '],
  ['no JSON', 'referenceNumber=a'],
  ['JSON with something behind it', '{} {}'],
  ['JSON with a comment', '{} // comment'],
  ['JSON with NaN', '{"realIp": NaN}'],
  ['not UTF-8', Buffer.from([...Buffer.from('{"referenceNumber": "'), 0xc3, 0x28, ...Buffer.from('"}')])],
  ['half a UTF-8 sequence', Buffer.from('{"referenceNumber": "ü"}').subarray(0, 22)],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
])('a body that is %s is malformed', async (_, body) => {
  expect(titleOf(await send(body))).toEqual([400, 'malformed_json'])
})

test('a body of lists nested as deep as possible gets a response', async () => {
  const half = MAX_BODY_BYTES / 2
  expect((await send('['.repeat(half) + ']'.repeat(half))).status).toBe(400)
})

describe('a gzipped body', () => {
  const gzip = { 'Content-Encoding': 'gzip' }

  test('is accepted, and the encoding is case-insensitive', async () => {
    expect((await send(gzipSync(anUploadOf(2_000)), gzip)).status).toBe(200)
    expect((await send(gzipSync(anUploadOf(2_000)), { 'Content-Encoding': 'GZIP' })).status).toBe(200)
    expect((await send(anUploadOf(2_000), { 'Content-Encoding': 'identity' })).status).toBe(200)
  })

  test('may inflate to twice the limit on the wire, and no more', async () => {
    expect((await send(gzipSync(anUploadOf(2 * MAX_BODY_BYTES)), gzip)).status).toBe(200)
    expect(titleOf(await send(gzipSync(anUploadOf(2 * MAX_BODY_BYTES + 1)), gzip))).toEqual([
      413,
      'payload_too_large',
    ])
  })

  test('that is a decompression bomb is not inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(48 * 1024 * 1024)) // 48 KiB on the wire
    const before = process.memoryUsage().arrayBuffers
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(bomb, gzip)))
    expect(answers.map(titleOf)).toEqual(Array(8).fill([413, 'payload_too_large']))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(48 * 1024 * 1024)
  })

  test.each<[string, Buffer]>([
    ['no gzip', Buffer.from(anUploadOf(1_000))],
    ['empty', Buffer.alloc(0)],
    ['cut short', gzipSync(anUploadOf(5_000)).subarray(0, 60)],
    ['gzip of no JSON', gzipSync('no JSON')],
    ['gzip of no UTF-8', gzipSync(Buffer.from([0x22, 0xff, 0x22]))],
  ])('that is %s is malformed', async (_, body) => {
    expect(titleOf(await send(body, gzip))).toEqual([400, 'malformed_json'])
  })

  test.each(['br', 'deflate', 'zstd', 'gzip, gzip', 'x-unknown'])(
    'in the encoding %s is not supported',
    async (encoding) => {
      expect(titleOf(await send(gzipSync('{}'), { 'Content-Encoding': encoding }))).toEqual([
        415,
        'unsupported_media_type',
      ])
    },
  )
})

describe('MAX_BODY_BYTES', () => {
  const headers = () => ({
    Authorization: `Bearer ${tenant.uploaderKey}`,
    'Content-Type': 'application/json',
  })

  test('is the exact limit of a body in bytes', async () => {
    expect((await send(anUploadOf(MAX_BODY_BYTES))).status).toBe(200)
    expect(titleOf(await send(anUploadOf(MAX_BODY_BYTES + 1)))).toEqual([413, 'payload_too_large'])
  })

  test('rejects a request by its Content-Length, before its body arrives', async () => {
    const { status, body } = await requestRaw(
      service.url + UPLOAD,
      { method: 'POST', headers: { ...headers(), 'Content-Length': String(MAX_BODY_BYTES + 1) } },
      (request) => request.flushHeaders(),
    )
    expect([status, body.title]).toEqual([413, 'payload_too_large'])
    expect(body.detail).toContain(String(MAX_BODY_BYTES))
  })

  test('rejects an endless stream as soon as it exceeds the limit', async () => {
    let sentBytes = 0
    const { status, body } = await requestRaw(
      service.url + UPLOAD,
      { method: 'POST', headers: headers() },
      (request) => {
        request.on('error', () => undefined)
        const more = () => {
          if (request.destroyed || sentBytes > 64 * MAX_BODY_BYTES) return
          sentBytes += 4_096
          request.write(' '.repeat(4_096), () => setImmediate(more))
        }
        more()
      },
    )
    expect([status, body.title]).toEqual([413, 'payload_too_large'])
    expect(sentBytes).toBeLessThan(64 * MAX_BODY_BYTES)
  })

  test('holds for every endpoint that reads a body', async () => {
    for (const path of ['/api/account/v1/login', '/api/account/v1/refresh', '/api/account/v1/logout'])
      expect(
        titleOf(await call(service.url, 'POST', path, { body: anUploadOf(MAX_BODY_BYTES + 1) })),
      ).toEqual([413, 'payload_too_large'])
  })

  test('stores nothing of a rejected request', async () => {
    const stored = await service.db('datasets').max('id as id')
    await send(anUploadOf(MAX_BODY_BYTES + 1))
    expect(await service.db('datasets').max('id as id')).toEqual(stored)
  })
})

test('a byte order mark before the JSON is accepted, plain and in gzip', async () => {
  const marked = Buffer.from(`\uFEFF${JSON.stringify(anUpload())}`)
  expect((await send(marked)).status).toBe(200)
  expect((await send(gzipSync(marked), { 'Content-Encoding': 'gzip' })).status).toBe(200)
  for (const body of ['\uFEFF', '\uFEFF\uFEFF{}', '{\uFEFF}'])
    expect(titleOf(await send(body))).toEqual([400, 'malformed_json'])
})
