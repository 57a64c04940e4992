import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { suspendSubscription } from '../../../db/accounts/subscriptions.ts'
import { aSegment, encodeSegment, makeSiteKey, openOne, sendFromPage } from '../../support/pages.ts'
import { type Service, startService } from '../../support/service.ts'

let service: Service
let siteKey: string
beforeAll(async () => {
  service = await startService({ worker: false })
  siteKey = await makeSiteKey(service.db, (await service.openTenant()).subscriptionId)
})
afterAll(() => service.stop())

const append = (id: string, n: number | string, body: unknown, headers?: Record<string, string>) =>
  sendFromPage(service.url, `/c?c=${id}&n=${n}`, body, headers)

const titleOf = ({ status, body }: { status: number; body: { title?: string } }) => [status, body.title]

const stored = async (id: string) => {
  const { id: collectionId } = await service.db('collections').where({ public_id: id }).first()
  const rows = await service.db('collection_segments').where({ collection_id: collectionId }).orderBy('n')
  return rows.map(({ body }) => JSON.parse(gunzipSync(body).toString()))
}

const gz = (bytes: Uint8Array | string) => new Blob([new Uint8Array(gzipSync(bytes))])
const bytes = (...parts: Uint8Array[]) => new Blob([new Uint8Array(Buffer.concat(parts))])

describe('a segment', () => {
  test('is stored as sent, gzipped or plain, in any order and once', async () => {
    const { id } = await openOne(service.url, siteKey)
    const [first, second, third] = [aSegment(0), aSegment(1, { later: 'member' }), aSegment(2)]
    expect((await append(id, 2, third)).body).toEqual({ n: 2 })
    expect((await append(id, 0, encodeSegment(first))).body).toEqual({ n: 0 })
    expect((await append(id, 1, encodeSegment(second), { 'Content-Type': 'application/json' })).status).toBe(
      200,
    )
    expect((await append(id, 1, encodeSegment(aSegment(1, { at: 1 })))).body).toEqual({ n: 1 })
    expect(await stored(id)).toEqual([first, second, third])
    const row = await service.db('collections').where({ public_id: id }).first()
    expect(row).toMatchObject({ segments: 3, events: 3 })
    expect(row.bytes).toBe([first, second, third].reduce((sum, one) => sum + JSON.stringify(one).length, 0))
  })

  test('without a content type is read, as a body of bytes has none', async () => {
    const { id } = await openOne(service.url, siteKey)
    const response = await fetch(`${service.url}/c?c=${id}&n=0`, {
      method: 'POST',
      body: new Uint8Array(gzipSync(JSON.stringify(aSegment(0)))),
    })
    expect(response.status).toBe(200)
  })

  test('is durable when many arrive at once, each once', async () => {
    const collections = await Promise.all(Array.from({ length: 20 }, () => openOne(service.url, siteKey)))
    const sent = collections.flatMap(({ id }) =>
      [0, 1, 2, 3, 2, 1].map((n) => append(id, n, encodeSegment(aSegment(n)))),
    )
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200))
    for (const { id } of collections)
      expect((await stored(id)).map(({ n }: { n: number }) => n)).toEqual([0, 1, 2, 3])
  })

  const whole = gzipSync(JSON.stringify(aSegment(0)))
  const lying = Buffer.from(whole)
  lying.writeUInt32LE(5, lying.length - 4)
  test.each([
    ['no JSON', 'no JSON'],
    ['nothing', new Blob([])],
    ['cut JSON', JSON.stringify(aSegment(0)).slice(0, -5)],
    ['cut gzip', bytes(whole.subarray(0, -9))],
    ['gzip with a wrong length', bytes(lying)],
    ['gzip with a wrong checksum', bytes(whole.subarray(0, -8), randomBytes(4), whole.subarray(-4))],
    ['gzip of no JSON', gz('no JSON')],
    ['gzip of gzip', gz(whole)],
    ['bytes that are not UTF-8', new Blob([new Uint8Array([0x7b, 0xff, 0x7d])])],
    ['a number', '5'],
    ['null', 'null'],
    ['a list', '[]'],
    ['another number than in the query', JSON.stringify(aSegment(1))],
    ['another version', JSON.stringify(aSegment(0, { v: 2 }))],
    ['no totals', JSON.stringify(aSegment(0, { behaviour: undefined }))],
    ['an event without time', JSON.stringify(aSegment(0, { events: [{ type: 'key' }] }))],
    ['a list of facts', JSON.stringify(aSegment(0, { facts: { web: [] } }))],
  ])('of %s is rejected', async (_name, body) => {
    const { id } = await openOne(service.url, siteKey)
    expect(titleOf(await append(id, 0, body))).toEqual([400, 'segment_invalid'])
    expect(await stored(id)).toEqual([])
  })

  test('that is invalid names the members', async () => {
    const { id } = await openOne(service.url, siteKey)
    const { body } = await append(id, 0, aSegment(0, { events: [{ t: -1, type: 'key' }] }))
    expect(body.errors).toEqual({ 'events.0.t': ['must be at least 0'] })
  })

  test('beyond 64 KiB, or 256 KiB inflated, is rejected', async () => {
    const { id } = await openOne(service.url, siteKey)
    const large = JSON.stringify(aSegment(0, { padding: 'x'.repeat(64 * 1024) }))
    expect(titleOf(await append(id, 0, large))).toEqual([413, 'payload_too_large'])
    expect((await append(id, 0, gz(large))).status).toBe(200)
    const larger = JSON.stringify(aSegment(1, { padding: 'x'.repeat(256 * 1024) }))
    expect(titleOf(await append(id, 1, gz(larger)))).toEqual([413, 'payload_too_large'])
    const bomb = gz(new Uint8Array(50 * 1024 * 1024))
    expect(titleOf(await append(id, 1, bomb))).toEqual([413, 'payload_too_large'])
  })

  test.each(['', '-1', '10000', '1.5', 'x', '1&n=2'])('with the number %j is rejected', async (n) => {
    const { id } = await openOne(service.url, siteKey)
    expect(titleOf(await append(id, n, aSegment(0)))).toEqual([400, 'validation_failed'])
  })

  test('of another type than pages send is rejected', async () => {
    const { id } = await openOne(service.url, siteKey)
    for (const type of ['application/xml', 'multipart/form-data', 'text/plain;charset=latin1'])
      expect(titleOf(await append(id, 0, JSON.stringify(aSegment(0)), { 'Content-Type': type }))).toEqual([
        415,
        'unsupported_media_type',
      ])
  })

  test.each(['', 'c_', `c_${'A'.repeat(22)}`, '1', 'c_%00', 'x&c=y'])(
    'of the collection %j is rejected',
    async (id) => {
      expect(titleOf(await append(id, 0, aSegment(0)))).toEqual([404, 'collection_not_found'])
    },
  )
})

describe('a collection', () => {
  test('is full at 4 MiB, and its stored segments can be repeated', async () => {
    const { id } = await openOne(service.url, siteKey)
    const segment = (n: number) => encodeSegment(aSegment(n, { padding: 'x'.repeat(250 * 1024) }))
    for (let n = 0; n < 16; n++) expect((await append(id, n, segment(n))).status).toBe(200)
    expect(titleOf(await append(id, 16, segment(16)))).toEqual([413, 'collection_full'])
    expect((await append(id, 3, segment(3))).status).toBe(200)
  })

  test('of a suspended subscription is rejected', async () => {
    const { subscriptionId } = await service.openTenant()
    const { id } = await openOne(service.url, await makeSiteKey(service.db, subscriptionId))
    await suspendSubscription(service.db, subscriptionId, true)
    expect(titleOf(await append(id, 0, aSegment(0)))).toEqual([403, 'subscription_suspended'])
  })

  test('is limited to 600 requests a minute', async () => {
    const { id } = await openOne(service.url, siteKey)
    const answers = []
    for (let sent = 0; sent < 610; sent += 61)
      answers.push(
        ...(await Promise.all(Array.from({ length: 61 }, () => append(id, 0, encodeSegment(aSegment(0)))))),
      )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(600)
    expect(titleOf(answers.find(({ status }) => status === 429) as never)).toEqual([429, 'rate_limited'])
  })
})
