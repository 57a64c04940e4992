import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import { listDatasets } from '../../../db/datasets/dataset-records.ts'
import { countInvalid, type DatasetSelection } from '../../../db/datasets/datasets.ts'
import { type Receipt, receiveDatasets, type Upload } from '../../../db/datasets/receive-datasets.ts'
import { listSelected, requeueDatasets } from '../../../db/datasets/requeue-datasets.ts'
import { createRandom } from '../../../scripts/captures/random.ts'
import { anActor } from '../../support/actors.ts'
import { aStoredUpload, openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const anUpload = (members: Partial<Upload> = {}) => aStoredUpload(bench.subscriptionId, members)
const receive = (...uploads: Upload[]) => receiveDatasets(bench.db, uploads)
const outcomesOf = (receipts: readonly Receipt[]) => receipts.map(({ outcome }) => outcome)
const hashOf = (data: string) => createHash('sha256').update(data).digest()

async function receiveOne(upload: Upload): Promise<Extract<Receipt, { key: DatasetKey }>> {
  const [receipt] = await receive(upload)
  if (!receipt || !('key' in receipt)) throw new Error('it was not received')
  return receipt
}

describe('receipts', () => {
  test('are in the order of the uploads, whatever their reference numbers', async () => {
    const numbers = ['z', 'a', 'Z', '10', '9', 'ä', '😀', ' ', '#1'].map((name) => `${name} of order`)
    const uploads = numbers.map((referenceNumber) => anUpload({ referenceNumber }))
    const receipts = await receive(...uploads)
    for (const [n, receipt] of receipts.entries()) {
      if (receipt.outcome !== 'received') throw new Error(receipt.outcome)
      expect(receipt.uploadDate).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
      expect(await bench.find(receipt.key)).toMatchObject({
        subscriptionId: bench.subscriptionId,
        referenceNumber: numbers[n],
        status: 'received',
        waiting: true,
        rings: 0,
      })
    }
  })

  test('are returned although an upload of the same number conflicted in an index under construction', async () => {
    // stands for the moment between the checks of two indexes, which no test can hold open
    await bench.owner.raw(`
      create sequence met;
      create function meet() returns trigger language plpgsql as $$ begin
        if nextval('met') <= 2 then raise unique_violation; end if;
        return null;
      end $$;
      create trigger meet before insert on datasets execute function meet()`)
    try {
      expect(outcomesOf(await receive(anUpload(), anUpload()))).toEqual(['received', 'received'])
    } finally {
      await bench.owner.raw('drop trigger meet on datasets; drop function meet; drop sequence met')
    }
  })

  test('of the same number twice in a batch: the first is received, the second is its retry or rejected', async () => {
    const first = anUpload({ dataHash: hashOf('first') })
    const receipts = await receive(first, { ...first }, { ...first, dataHash: hashOf('other') }, anUpload())
    expect(outcomesOf(receipts)).toEqual(['received', 'repeated', 'taken', 'received'])
    expect(receipts[1]).toEqual({ ...receipts[0], outcome: 'repeated', key: expect.objectContaining({}) })
    const [one, other] = receipts as Extract<Receipt, { key: DatasetKey }>[]
    expect(other?.key.id).toBe(one?.key.id)

    // whichever sorts first: of different data, the first upload is stored
    const again = anUpload({ dataHash: hashOf('b'), blob: Buffer.from('b') })
    expect(
      outcomesOf(await receive(again, { ...again, dataHash: hashOf('a'), blob: Buffer.from('a') })),
    ).toEqual(['received', 'taken'])
  })

  test('of a retry have the date of the first upload, and nothing changes', async () => {
    const upload = anUpload({ additionalInfo: { clientId: 'first' } })
    const first = await receiveOne(upload)
    await bench.process([first.key])
    const before = await bench.find(first.key)
    const again = await receiveOne({ ...upload, blob: Buffer.from('x'), realIp: null, additionalInfo: {} })
    expect(again).toMatchObject({
      outcome: 'repeated',
      uploadDate: first.uploadDate,
      key: { id: first.key.id },
    })
    expect(await bench.find(first.key)).toEqual(before)
  })

  test('distinguish other data under a taken number and a deleted dataset', async () => {
    const upload = anUpload()
    const { key } = await receiveOne(upload)
    expect(outcomesOf(await receive({ ...upload, dataHash: hashOf('other') }))).toEqual(['taken'])
    await bench.db.raw("update datasets set status = 'deleted', blob = null where id = ?", [key.id])
    expect(outcomesOf(await receive(upload))).toEqual(['deleted'])
    expect(outcomesOf(await receive({ ...upload, dataHash: hashOf('other') }))).toEqual(['deleted'])
  })

  test('keep subscriptions separate', async () => {
    const other = await bench.openSubscription()
    const referenceNumber = 'of two subscriptions'
    const uploads = [bench.subscriptionId, other].map((subscriptionId) =>
      anUpload({ subscriptionId, referenceNumber, dataHash: hashOf(String(subscriptionId)) }),
    )
    expect(outcomesOf(await receive(...uploads))).toEqual(['received', 'received'])
    expect(outcomesOf(await receive(...uploads))).toEqual(['repeated', 'repeated'])
  })

  test('distinguish numbers that differ in case, white space or Unicode form', async () => {
    const uploads = ['LN', 'ln', 'LN ', 'e\u0301', '\u00e9'].map((name) =>
      anUpload({ referenceNumber: `${name} apart`, dataHash: hashOf(name) }),
    )
    expect(outcomesOf(await receive(...uploads))).toEqual(uploads.map(() => 'received'))
  })
})

test('concurrent batches with the same numbers in opposite order never deadlock, and each number is received once', async () => {
  const random = createRandom('opposite')
  for (let round = 0; round < 60; round++) {
    const uploads = Array.from({ length: 24 }, () =>
      anUpload({ blob: Buffer.alloc(random.int(0, 20_000), 1) }),
    )
    const receipts = await Promise.all([
      receive(...uploads),
      receive(...uploads.toReversed()),
      receive(...uploads.toSorted(() => random.float(-1, 1))),
    ])
    const all = receipts.flat()
    expect(all.filter(({ outcome }) => outcome === 'received')).toHaveLength(uploads.length)
    expect(all.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(2 * uploads.length)
    expect(new Set(all.map((receipt) => ('key' in receipt ? receipt.key.id : undefined))).size).toBe(24)
  }
})

test('a batch with an upload that cannot be stored stores none', async () => {
  const [good, bad] = [anUpload(), anUpload({ referenceNumber: 'a\0b' })]
  await expect(receive(good, bad)).rejects.toThrow()
  expect(outcomesOf(await receive(good))).toEqual(['received'])
})

describe('requeueing', () => {
  const keyOf = (id: number) => ({ subscriptionId: expect.any(Number), id })

  test('puts datasets back into the outbox, a page at a time, in order', async () => {
    const subscriptionId = await bench.openSubscription()
    const keys = await bench.receive(...Array(7).fill({ subscriptionId }))
    await bench.process(keys)
    const pages: (readonly DatasetKey[])[] = []
    for (let afterId: number | null = 0; afterId !== null; ) {
      const page = await listSelected(bench.db, subscriptionId, {}, { afterId, limit: 3 })
      const own = page.ids.map((id) => ({ subscriptionId, id }))
      pages.push(await requeueDatasets(bench.db, own.toReversed(), anActor('me')))
      afterId = page.afterId
    }
    expect(pages).toEqual([keys.slice(0, 3), keys.slice(3, 6), keys.slice(6)])
    expect((await bench.list(keys)).map(({ status, waiting }) => [status, waiting])).toEqual(
      keys.map(() => ['ready', true]),
    )
  })

  test('selects by status or reference numbers, and never from another subscription', async () => {
    const subscriptionId = await bench.openSubscription()
    const keys = await bench.receive(
      { subscriptionId },
      { subscriptionId, blob: Buffer.from('broken') },
      { subscriptionId },
    )
    await bench.process(keys)
    const select = async (selection: DatasetSelection, of = subscriptionId) =>
      (await listSelected(bench.db, of, selection, { afterId: 0, limit: 10 })).ids.map(keyOf)
    expect(await select({ status: 'invalid' })).toEqual([keys[1]])
    const referenceNumbers = (await bench.list(keys)).map(({ referenceNumber }) => referenceNumber)
    expect(await select({ referenceNumbers: [...referenceNumbers.slice(2), 'unknown'] })).toEqual([keys[2]])
    expect(await select({ referenceNumbers }, await bench.openSubscription())).toEqual([])
    expect(await select({ reason: 'not_gzip' })).toEqual([keys[1]])
    expect(await select({ reason: 'not_utf8' })).toEqual([])
  })

  test('selects a time range that includes its start and excludes its end', async () => {
    const subscriptionId = await bench.openSubscription()
    const days = ['2026-01-01', '2026-01-02', '2026-01-03']
    const keys = await bench.receive(...days.map((day) => ({ subscriptionId, uploadedAt: `${day}T00:00Z` })))
    const select = async (selection: DatasetSelection) =>
      (await listSelected(bench.db, subscriptionId, selection, { afterId: 0, limit: 10 })).ids.map(keyOf)
    expect(await select({ since: '2026-01-02T00:00Z' })).toEqual(keys.slice(1))
    expect(await select({ until: '2026-01-02T00:00Z' })).toEqual(keys.slice(0, 1))
    expect(await select({ since: '2026-01-02T00:00Z', until: '2026-01-03T00:00Z' })).toEqual([keys[1]])
  })

  test('leaves out datasets without a blob and counts them', async () => {
    const subscriptionId = await bench.openSubscription()
    const [gone, deleted, kept] = (await bench.receive(...Array(3).fill({ subscriptionId }))) as [
      DatasetKey,
      DatasetKey,
      DatasetKey,
    ]
    await bench.db.raw('update datasets set blob = null where id = ?', [gone.id])
    await bench.db.raw("update datasets set status = 'deleted' where id = ?", [deleted.id])
    expect(await listSelected(bench.db, subscriptionId, {}, { afterId: 0, limit: 10 })).toEqual({
      ids: [kept.id],
      withoutData: 1,
      afterId: null,
    })
    expect(await requeueDatasets(bench.db, [gone, deleted, kept], anActor('me'))).toEqual([kept])
  })
})

test('a list is of one status, newest first, and limited', async () => {
  const subscriptionId = await bench.openSubscription()
  const broken = { subscriptionId, blob: Buffer.from('broken') }
  const keys = await bench.receive(broken, { subscriptionId }, broken, broken)
  await bench.process(keys)
  const numbers = (await bench.list(keys)).map(({ referenceNumber }) => referenceNumber)
  const listed = await listDatasets(bench.db, subscriptionId, { status: 'invalid' }, 2)
  expect(listed.map(({ referenceNumber }) => referenceNumber)).toEqual([numbers[3], numbers[2]])
  expect(listed[0]).toMatchObject({ status: 'invalid', waiting: false, invalid: { code: 'not_gzip' } })
  expect(await listDatasets(bench.db, subscriptionId, { status: 'received' }, 10)).toEqual([])
  expect(await listDatasets(bench.db, subscriptionId, { status: 'invalid', reason: 'not_utf8' }, 10)).toEqual(
    [],
  )
  expect(await countInvalid(bench.db, subscriptionId, {})).toEqual({ not_gzip: 3 })
  expect(await countInvalid(bench.db, subscriptionId, { until: '2026-01-01' })).toEqual({})
})
