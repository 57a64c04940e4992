import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { appendSegments } from '../../db/collections/append-segments.ts'
import type { CollectionLevel } from '../../db/collections/collections.ts'
import { openCollections } from '../../db/collections/open-collections.ts'
import type { Db } from '../../db/postgres/database.ts'
import { type Answer, call } from './client.ts'

/** Origin of the pages of all site keys of tests. */
export const ORIGIN = 'https://shop.example'

/** Creates a site key. @returns the key as pages present it. */
export async function makeSiteKey(
  db: Db,
  subscriptionId: number,
  { level = 'open', perDay = 100_000 }: { level?: CollectionLevel; perDay?: number } = {},
): Promise<string> {
  const key = `pk_${randomBytes(24).toString('base64url')}`
  await db('site_keys').insert({
    subscription_id: subscriptionId,
    ...{ key, label: 'shop', level, origins: [ORIGIN], modules: ['graphics'] },
    max_collections_per_day: perDay,
  })
  return key
}

/** Opens a collection of level claimed with one segment, in the tables. @returns its site key and its public id. */
export async function openClaimable(
  db: Db,
  subscriptionId: number,
): Promise<{ siteKey: string; collection: string }> {
  const siteKey = await makeSiteKey(db, subscriptionId, { level: 'claimed' })
  const { id: siteKeyId } = await db('site_keys').where({ key: siteKey }).first()
  const [opened] = await openCollections(db, [
    {
      ...{
        subscriptionId,
        siteKeyId,
        maxCollectionsPerDay: 10,
        nonce: crypto.randomUUID(),
        level: 'claimed',
      },
      ...{ origin: ORIGIN, tokenId: null, referenceNumber: null, additionalInfo: {}, deviceId: null },
      ...{ address: null, request: {} },
    },
  ])
  if (opened?.outcome !== 'opened') throw new Error('Not opened')
  const { id: collectionId, publicId: collection } = opened.collection
  const body = gzipSync(JSON.stringify(aSegment(0)))
  await appendSegments(db, [{ subscriptionId, collectionId, n: 0, body, bytes: 100, events: 1 }])
  return { siteKey, collection }
}

/** Returns a segment; `members` replace its members of the same name. */
export const aSegment = (n: number, members: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...{ v: 1, n, at: 1_795_336_530_000 + n },
  behaviour: { startedAt: '2026-11-22T08:15:25.000Z', durationMs: 5_000 * (n + 1) },
  events: [{ t: 100 * n, type: 'focus', target: 'income' }],
  ...members,
})

/** Returns the body of a request to open a collection, with a new nonce. */
export const anOpening = (members: Record<string, unknown> = {}): Record<string, unknown> => ({
  v: 1,
  nonce: randomBytes(16).toString('base64url'),
  ...members,
})

/** Sends a request as a page does. @param body JSON, or what `encodeSegment` returns. */
export const sendFromPage = (
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  call(url, 'POST', path, {
    body,
    headers: { 'Content-Type': 'text/plain;charset=UTF-8', Origin: ORIGIN, ...headers },
  })

/** Gzips a segment, as the SDK does. */
export const encodeSegment = (segment: unknown): Blob =>
  new Blob([new Uint8Array(gzipSync(JSON.stringify(segment)))])

/** Opens a collection of a new reference number, at level open. @returns its public id and number. */
export async function openOne(
  url: string,
  siteKey: string,
  members: Record<string, unknown> = { referenceNumber: `LN-${crypto.randomUUID()}` },
): Promise<{ id: string; referenceNumber: string }> {
  const { status, body } = await sendFromPage(url, `/c/open?k=${siteKey}`, anOpening(members))
  if (status !== 200) throw new Error(`Not opened: ${JSON.stringify(body)}`)
  return { id: body.collection, referenceNumber: body.referenceNumber }
}
