import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSubscription } from '../../../db/accounts/subscriptions.ts'
import { appendSegments, type NewSegment } from '../../../db/collections/append-segments.ts'
import { claimCollection } from '../../../db/collections/claim-collection.ts'
import { saveCollectionInfo } from '../../../db/collections/collection-info.ts'
import { findCollections, listBeingCollected } from '../../../db/collections/collections.ts'
import { completeCollections } from '../../../db/collections/complete-collections.ts'
import { deriveDeviceId, findCollectionSecret } from '../../../db/collections/device-ids.ts'
import {
  type NewCollection,
  type OpenedCollection,
  openCollections,
} from '../../../db/collections/open-collections.ts'
import { openSiteKeyCounter } from '../../../db/collections/site-key-use.ts'
import { withdrawCollection } from '../../../db/collections/withdraw-collection.ts'
import { deleteDataset } from '../../../db/datasets/delete-datasets.ts'
import { findTimeline } from '../../../db/datasets/timeline.ts'
import { type Db, openDatabase } from '../../../db/postgres/database.ts'
import { anActor } from '../../support/actors.ts'
import { openTestDatabase, type TestDatabase } from '../../support/stores.ts'

let stored: TestDatabase
let db: Db
let subscriptionId: number
let siteKeyId: number

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 8 })
  subscriptionId = (await createSubscription(db, 'Acme')).id
  siteKeyId = await makeSiteKey(subscriptionId)
})
afterAll(async () => {
  await db.destroy()
  await stored.drop()
})

async function makeSiteKey(subscription: number): Promise<number> {
  const [row] = await db('site_keys')
    .insert({
      subscription_id: subscription,
      key: `pk_${randomBytes(24).toString('base64url')}`,
      label: 'shop',
      level: 'open',
      origins: ['https://shop.example'],
      max_collections_per_day: 1_000,
    })
    .returning('id')
  return row.id
}

const wanted = (members: Partial<NewCollection> = {}): NewCollection => ({
  subscriptionId,
  siteKeyId,
  maxCollectionsPerDay: 1_000,
  nonce: crypto.randomUUID(),
  level: 'open',
  origin: 'https://shop.example',
  tokenId: null,
  referenceNumber: `LN-${crypto.randomUUID()}`,
  additionalInfo: {},
  deviceId: null,
  address: '203.0.113.7',
  request: { userAgent: 'a browser' },
  ...members,
})

async function open(members: Partial<NewCollection> = {}): Promise<OpenedCollection> {
  const [outcome] = await openCollections(db, [wanted(members)])
  if (outcome?.outcome !== 'opened') throw new Error(`Not opened: ${outcome?.outcome}`)
  return outcome.collection
}

const segment = (
  { subscriptionId, id }: OpenedCollection,
  n: number,
  members: Partial<NewSegment> = {},
): NewSegment => ({
  ...{ subscriptionId, collectionId: id, n, body: gzipSync(`{"n":${n}}`), bytes: 100, events: 10 },
  ...members,
})

const complete = async (collection: OpenedCollection, announced: number) => {
  const [outcome] = await completeCollections(db, [{ ...collection, announced, address: '203.0.113.8' }])
  return outcome
}

const rowOf = ({ subscriptionId, id }: OpenedCollection) =>
  db('collections').where({ subscription_id: subscriptionId, id }).first()

const upload = (referenceNumber: string, of = subscriptionId) =>
  db('datasets').insert({
    subscription_id: of,
    reference_number: referenceNumber,
    data_hash: Buffer.alloc(32),
  })

describe('opening', () => {
  test('stores a collection once, whatever is repeated in one batch, in two at once, and later', async () => {
    const one = wanted()
    const [both, again] = await Promise.all([openCollections(db, [one, one]), openCollections(db, [one])])
    const later = await openCollections(db, [one])
    const ids = [...both, ...again, ...later].map((outcome) =>
      outcome.outcome === 'opened' ? outcome.collection.id : outcome.outcome,
    )
    expect(new Set(ids).size).toBe(1)
    expect(await db('collections').where({ nonce: one.nonce })).toHaveLength(1)
  })

  test('finds the collection by its public id, and none by another', async () => {
    const { id, publicId } = await open()
    expect(publicId).toMatch(/^c_[\w-]{22}$/)
    const found = await findCollections(db, ['c_', publicId, `c_${'A'.repeat(22)}`])
    expect(found.map((one) => one?.id)).toEqual([undefined, id, undefined])
  })

  test('opens one collection by a token', async () => {
    const tokenId = crypto.randomUUID()
    const { referenceNumber } = await open({ tokenId })
    expect(await openCollections(db, [wanted({ tokenId, referenceNumber })])).toEqual([
      { outcome: 'token_used' },
    ])
  })

  test('rejects the number of an open collection and of a dataset, not those of another subscription', async () => {
    const { referenceNumber } = await open()
    const uploaded = `LN-${crypto.randomUUID()}`
    await upload(uploaded)
    const outcomes = await openCollections(db, [
      wanted({ referenceNumber }),
      wanted({ referenceNumber: uploaded }),
    ])
    expect(outcomes).toEqual([{ outcome: 'reference_number_taken' }, { outcome: 'reference_number_taken' }])
    const other = (await createSubscription(db, 'Bravo')).id
    await open({ subscriptionId: other, siteKeyId: await makeSiteKey(other), referenceNumber })
  })

  test('opens no more than the daily limit in concurrent batches, and repeated requests beyond it', async () => {
    const own = await makeSiteKey(subscriptionId)
    const wants = Array.from({ length: 30 }, () => wanted({ siteKeyId: own, maxCollectionsPerDay: 20 }))
    const batches = [wants.slice(0, 10), wants.slice(10, 20), wants.slice(20)]
    const outcomes = (await Promise.all(batches.map((batch) => openCollections(db, batch)))).flat()
    expect(outcomes.filter(({ outcome }) => outcome === 'opened')).toHaveLength(20)
    expect(outcomes.filter(({ outcome }) => outcome === 'daily_limit')).toHaveLength(10)
    expect(await db('site_key_days').where({ site_key_id: own }).first()).toMatchObject({ opened: 20 })
    const at = outcomes.findIndex(({ outcome }) => outcome === 'opened')
    expect(await openCollections(db, [wants[at] as NewCollection])).toEqual([outcomes[at]])
  })
})

describe('appending', () => {
  test('stores a segment once, and counts it once', async () => {
    const collection = await open()
    const batch = [segment(collection, 0), segment(collection, 1), segment(collection, 0)]
    expect(await appendSegments(db, batch)).toEqual(['stored', 'stored', 'stored'])
    const again = await Promise.all([appendSegments(db, batch), appendSegments(db, [segment(collection, 2)])])
    expect(again.flat()).toEqual(['stored', 'stored', 'stored', 'stored'])
    expect(await rowOf(collection)).toMatchObject({ segments: 3, bytes: 300, events: 30 })
    expect(await db('collection_segments').where({ collection_id: collection.id })).toHaveLength(3)
  })

  test('stops at the limits of bytes, events and time, also within a batch', async () => {
    const collection = await open()
    const large = (n: number) => segment(collection, n, { bytes: 2 * 1024 * 1024 })
    expect(await appendSegments(db, [large(0), large(1), large(2)])).toEqual(['stored', 'stored', 'full'])
    expect(await appendSegments(db, [segment(collection, 3), large(0)])).toEqual(['full', 'stored'])
    const busy = await open()
    expect(await appendSegments(db, [segment(busy, 0, { events: 50_001 })])).toEqual(['full'])
    await db('collections')
      .where({ id: busy.id })
      .update({ opened_at: db.raw("now() - interval '4 hours'") })
    expect(await appendSegments(db, [segment(busy, 0)])).toEqual(['full'])
  })

  test('reports a collection that is unknown, complete or of a suspended subscription', async () => {
    const collection = await open()
    expect(await appendSegments(db, [{ ...segment(collection, 0), collectionId: 1_000_000 }])).toEqual([
      'unknown',
    ])
    await appendSegments(db, [segment(collection, 0)])
    await complete(collection, 1)
    expect(await appendSegments(db, [segment(collection, 0), segment(collection, 1)])).toEqual([
      'stored',
      'closed',
    ])
    const other = (await createSubscription(db, 'Suspended')).id
    const theirs = await open({ subscriptionId: other, siteKeyId: await makeSiteKey(other) })
    await db('subscriptions').where({ id: other }).update({ suspended_at: new Date() })
    expect(await appendSegments(db, [segment(theirs, 0)])).toEqual(['suspended'])
    expect(await complete(theirs, 0)).toEqual({ outcome: 'suspended' })
  })
})

describe('completing', () => {
  test('makes a dataset that waits in the outbox, once', async () => {
    const collection = await open({ additionalInfo: { clientId: 'C-1' } })
    await appendSegments(db, [segment(collection, 0)])
    const ends = [1, 2].map(() => ({ ...collection, announced: 1, address: '203.0.113.8' }))
    const outcomes = await Promise.all([completeCollections(db, ends), complete(collection, 1)])
    for (const outcome of outcomes.flat())
      expect(outcome).toMatchObject({
        outcome: 'completed',
        dataset: { referenceNumber: collection.referenceNumber },
      })
    const rows = await db('datasets').where({ reference_number: collection.referenceNumber })
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      ...{ blob: null, collection_id: collection.id, real_ip: '203.0.113.8', status: 'received' },
      additional_info: { clientId: 'C-1' },
    })
    expect(rows[0].ring_at).not.toBeNull()
    expect(await rowOf(collection)).toMatchObject({ dataset_id: rows[0].id, due_at: null, announced: 1 })
  })

  test('names missing segments and then succeeds', async () => {
    const collection = await open()
    expect(await complete(collection, 0)).toEqual({ outcome: 'missing', missing: [0] })
    await appendSegments(db, [segment(collection, 1), segment(collection, 2)])
    expect(await complete(collection, 5)).toEqual({ outcome: 'missing', missing: [0, 3, 4] })
    await appendSegments(db, [segment(collection, 0), segment(collection, 3), segment(collection, 4)])
    expect(await complete(collection, 5)).toMatchObject({ outcome: 'completed' })
  })

  test('of a number that an upload has taken meanwhile, leaves the collection open', async () => {
    const collection = await open()
    await appendSegments(db, [segment(collection, 0)])
    await upload(collection.referenceNumber ?? '')
    expect(await complete(collection, 1)).toEqual({ outcome: 'taken' })
    expect(await complete(collection, 1)).toEqual({ outcome: 'taken' })
    expect(await rowOf(collection)).toMatchObject({ completed_at: null, dataset_id: null })
  })

  test('waits for a segment that is being stored', async () => {
    const collection = await open()
    const [, outcome] = await Promise.all([
      db.transaction(async (trx) => {
        await appendSegments(trx, [segment(collection, 0)])
        await new Promise((resolve) => setTimeout(resolve, 200))
      }),
      new Promise((resolve) => setTimeout(resolve, 50)).then(() => complete(collection, 1)),
    ])
    expect(outcome).toMatchObject({ outcome: 'completed' })
  })
})

describe('claiming', () => {
  const claimable = () => open({ level: 'claimed', referenceNumber: null })
  const number = () => `LN-${crypto.randomUUID()}`

  test('makes a dataset of a complete collection', async () => {
    const collection = await claimable()
    await appendSegments(db, [segment(collection, 0)])
    expect(await complete(collection, 1)).toMatchObject({ outcome: 'completed', dataset: null })
    const referenceNumber = number()
    const claimed = await claimCollection(db, collection, referenceNumber, { clientId: 'C-2' })
    expect(claimed).toMatchObject({ outcome: 'claimed', uploadDate: expect.any(String) })
    expect(await claimCollection(db, collection, referenceNumber, {})).toMatchObject({ outcome: 'repeated' })
    expect(await claimCollection(db, collection, number(), {})).toEqual({ outcome: 'conflict' })
    expect(await complete(collection, 1)).toMatchObject({
      outcome: 'completed',
      dataset: { referenceNumber },
    })
  })

  test('of an open collection is part of the dataset at its completion', async () => {
    const collection = await claimable()
    const referenceNumber = number()
    expect(await claimCollection(db, collection, referenceNumber, {})).toMatchObject({ uploadDate: null })
    await appendSegments(db, [segment(collection, 0)])
    expect(await complete(collection, 1)).toMatchObject({ dataset: { referenceNumber } })
  })

  test('rejects numbers in use, and collections of another subscription or older than a day', async () => {
    const collection = await claimable()
    const { referenceNumber } = await open()
    const uploaded = number()
    await upload(uploaded)
    for (const taken of [referenceNumber ?? '', uploaded])
      expect(await claimCollection(db, collection, taken, {})).toEqual({ outcome: 'taken' })
    const foreign = { subscriptionId: subscriptionId + 1, id: collection.id }
    expect(await claimCollection(db, foreign, number(), {})).toEqual({ outcome: 'unknown' })
    await db('collections')
      .where({ id: collection.id })
      .update({ opened_at: db.raw("now() - interval '1 day'") })
    expect(await claimCollection(db, collection, number(), {})).toEqual({ outcome: 'unknown' })
  })
})

test('Additional Info of an open collection is saved by the rules of datasets', async () => {
  const collection = await open({ additionalInfo: { clientId: 'C-1' } })
  const save = (info: Record<string, string>) =>
    saveCollectionInfo(db, subscriptionId, collection.referenceNumber ?? '', info, anActor('ann'))
  expect(await save({ branch: 'north' })).toEqual({
    outcome: 'saved',
    additionalInfo: { clientId: 'C-1', branch: 'north' },
  })
  await save({ branch: 'north' }) // nothing new
  expect(await save({ clientId: 'C-2', other: 'x' })).toEqual({ outcome: 'conflict', keys: ['clientId'] })
  const own = collection.referenceNumber ?? ''
  expect(await listBeingCollected(db, subscriptionId, [own, 'never opened'])).toEqual(new Set([own]))
  await appendSegments(db, [segment(collection, 0)])
  await complete(collection, 1)
  expect(await save({ branch: 'south' })).toEqual({ outcome: 'unknown' })
  const { referenceNumber } = collection
  const timeline = await findTimeline(db, subscriptionId, referenceNumber ?? '')
  expect(timeline?.events.map(({ event, actor, detail }) => ({ event, actor, detail }))).toEqual([
    { event: 'info_saved', actor: 'ann', detail: { keys: ['branch'] } },
    { event: 'received', actor: null, detail: null },
  ])
  expect(await listBeingCollected(db, subscriptionId, ['never opened'])).toEqual(new Set())
})

test('withdrawing erases a collection with its segments, not a dataset', async () => {
  const collection = await open()
  await appendSegments(db, [segment(collection, 0)])
  expect(await withdrawCollection(db, collection)).toBe('erased')
  expect(await withdrawCollection(db, collection)).toBe('unknown')
  expect(await db('collection_segments').where({ collection_id: collection.id })).toEqual([])
  expect(await appendSegments(db, [segment(collection, 1)])).toEqual(['unknown'])
  const kept = await open()
  await appendSegments(db, [segment(kept, 0)])
  await complete(kept, 1)
  expect(await withdrawCollection(db, kept)).toBe('dataset')
})

test('deleting a dataset erases its collection', async () => {
  const collection = await open()
  await appendSegments(db, [segment(collection, 0)])
  await complete(collection, 1)
  const { referenceNumber } = collection
  expect(await deleteDataset(db, subscriptionId, referenceNumber ?? '', anActor('ann'))).toBe('deleted')
  expect(await rowOf(collection)).toBeUndefined()
  expect(await db('collection_segments').where({ collection_id: collection.id })).toEqual([])
})

test('device ids differ by value and subscription, and are the same in all processes', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => findCollectionSecret(db, subscriptionId)))
  expect(first).toEqual(second)
  const id = deriveDeviceId(first as Buffer, 'value')
  expect(id).toMatch(/^web_[\w-]{22}$/)
  expect(deriveDeviceId(await findCollectionSecret(db, subscriptionId), 'value')).toBe(id)
  expect(deriveDeviceId(first as Buffer, 'other')).not.toBe(id)
})

test('the use of a site key adds up by day', async () => {
  const own = await makeSiteKey(subscriptionId)
  const counter = openSiteKeyCounter(db)
  counter.add({ subscriptionId, siteKeyId: own, completed: 1, bytes: 100 })
  counter.add({ subscriptionId, siteKeyId: own, rejected: 1, bytes: 5 })
  await counter.flush()
  counter.add({ subscriptionId, siteKeyId: own, rejected: 2 })
  await counter.flush()
  await counter.flush()
  expect(await db('site_key_days').where({ site_key_id: own })).toMatchObject([
    { opened: 0, completed: 1, abandoned: 0, rejected: 3, bytes: 105 },
  ])
})
