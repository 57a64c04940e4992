import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { appendSegments } from '../../db/collections/append-segments.ts'
import type { CollectionLevel } from '../../db/collections/collections.ts'
import { completeCollections } from '../../db/collections/complete-collections.ts'
import { type OpenedCollection, openCollections } from '../../db/collections/open-collections.ts'
import type { Segment } from '../../db/collections/segment.ts'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import type { Db } from '../../db/postgres/database.ts'
import { addSiteKey } from './site-keys.ts'

const STARTED_AT = '2026-11-20T09:30:00.000Z'

let made = 0

/** Returns segment `n` of a form that is filled in: five seconds with a few keys. */
export function aSegment(n: number, members: Partial<Segment> = {}): Segment {
  const from = n * 5_000
  return {
    v: 1,
    n,
    at: Date.parse(STARTED_AT) + from + 5_000,
    ...(n === 0 && {
      facts: {
        sdk: { version: '1.0.0', modules: ['browser', 'behavioral', 'dom'] },
        device: { locale: 'en-GB', timeZone: 'Europe/London' },
        web: {
          browser: { userAgent: 'Mozilla/5.0', languages: ['en-GB'], cookiesEnabled: true, webdriver: false },
          page: { origin: 'https://shop.example', path: '/apply' },
        },
      },
      fields: [{ name: 'income', kind: 'number', index: 0 }],
    }),
    behaviour: { startedAt: STARTED_AT, durationMs: from + 5_000 },
    events: [0, 1, 2].map((key) => ({
      t: from + 1_000 + key * 150,
      type: 'key',
      target: 'income',
      kind: 'digit',
      dwellMs: 70,
      flightMs: 80,
    })),
    ...members,
  }
}

/** Opens a collection and stores its segments, as the endpoint does. */
export async function collect(
  db: Db,
  subscriptionId: number,
  {
    segments = [aSegment(0), aSegment(1)],
    level = 'open',
    referenceNumber = level === 'claimed' ? null : `WEB-${++made}-${randomBytes(4).toString('hex')}`,
    deviceId = 'web_device',
  }: {
    segments?: readonly Segment[]
    level?: CollectionLevel
    referenceNumber?: string | null
    deviceId?: string | null
  } = {},
): Promise<OpenedCollection> {
  const siteKey = await addSiteKey(db, { subscriptionId, level })
  const [opened] = await openCollections(db, [
    {
      ...{
        subscriptionId,
        siteKeyId: siteKey.id,
        maxCollectionsPerDay: 1_000,
        level,
        referenceNumber,
        deviceId,
      },
      ...{ nonce: randomBytes(16).toString('base64url'), origin: 'https://shop.example', tokenId: null },
      ...{ additionalInfo: {}, address: '203.0.113.7' },
      request: { userAgent: 'Mozilla/5.0', languages: ['en-GB', 'en'] },
    },
  ])
  if (opened?.outcome !== 'opened') throw new Error(`not opened: ${opened?.outcome}`)
  const { collection } = opened
  if (segments.length === 0) return collection
  await appendSegments(
    db,
    segments.map((segment) => {
      const json = JSON.stringify(segment)
      return {
        ...{ subscriptionId, collectionId: collection.id, n: segment.n, body: gzipSync(json) },
        ...{ bytes: json.length, events: segment.events?.length ?? 0 },
      }
    }),
  )
  return collection
}

/** Completes a collection that has a reference number. @returns its dataset, which waits */
export async function complete(
  db: Db,
  { subscriptionId, id }: OpenedCollection,
  announced: number,
): Promise<DatasetKey> {
  const [completed] = await completeCollections(db, [
    { subscriptionId, id, announced, address: '203.0.113.7' },
  ])
  if (completed?.outcome !== 'completed' || !completed.toEnqueue)
    throw new Error(`not completed: ${completed?.outcome}`)
  return { subscriptionId, id: completed.toEnqueue.datasetId }
}
