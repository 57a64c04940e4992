import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_INFO_KEYS, saveAdditionalInfo } from '../../../db/datasets/additional-info.ts'
import type { AdditionalInfo } from '../../../db/datasets/datasets.ts'
import { anActor } from '../../support/actors.ts'
import { AWKWARD_TEXTS } from '../../support/arbitrary-captures.ts'
import {
  type DatasetMembers,
  openWorkbench,
  type StoredDataset,
  type Workbench,
} from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

async function receive(members: DatasetMembers = {}): Promise<StoredDataset> {
  const [key] = await bench.receive(members)
  if (!key) throw new Error('nothing was received')
  return bench.find(key)
}

async function receiveReady(members: DatasetMembers = {}): Promise<StoredDataset> {
  const dataset = await receive(members)
  await bench.process([dataset])
  return bench.find(dataset)
}

const save = ({ referenceNumber }: StoredDataset, info: AdditionalInfo) =>
  saveAdditionalInfo(bench.db, bench.subscriptionId, referenceNumber, info, anActor('backend'))

const savedOf = async (dataset: StoredDataset): Promise<AdditionalInfo> =>
  (await bench.db('datasets').where({ id: dataset.id }).select('additional_info'))[0].additional_info

test('new keys are added to the saved ones, and the response has all of them', async () => {
  const dataset = await receive({ additionalInfo: { a: '1' } })
  expect(await save(dataset, { b: '2', c: '' })).toEqual({
    outcome: 'saved',
    additionalInfo: { a: '1', b: '2', c: '' },
    toEnqueue: undefined,
  })
  expect(await savedOf(dataset)).toEqual({ a: '1', b: '2', c: '' })
})

test('a key that is saved with another value rejects the whole call, and is named', async () => {
  const dataset = await receive({ additionalInfo: { a: '1', b: '2', c: '3' } })
  expect(await save(dataset, { a: '9', new: 'x', b: '2', c: '' })).toEqual({
    outcome: 'conflict',
    keys: ['a', 'c'],
  })
  expect(await savedOf(dataset)).toEqual({ a: '1', b: '2', c: '3' })
})

test.each([
  ...AWKWARD_TEXTS.filter((text) => text.isWellFormed() && !text.includes('\0')),
  '?',
  '%s',
  '{a,b}',
  '__proto',
])('%j is accepted as a key and as a value', async (text) => {
  const dataset = await receive()
  const info = { [text]: text }
  expect(await save(dataset, info)).toMatchObject({ outcome: 'saved', additionalInfo: info })
  expect(await save(dataset, info)).toMatchObject({ outcome: 'saved', additionalInfo: info })
  expect(await save(dataset, { [text]: `${text}!` })).toEqual({ outcome: 'conflict', keys: [text] })
})

describe('a recalculation', () => {
  test('is due for new info of a ready dataset', async () => {
    const dataset = await receiveReady()
    const { subscriptionId, id } = dataset
    expect(await save(dataset, { a: '1' })).toMatchObject({
      outcome: 'saved',
      toEnqueue: { subscriptionId, id },
    })
    expect(await bench.find(dataset)).toMatchObject({ status: 'ready', waiting: true })
  })

  test('is not due for info that is saved already', async () => {
    const dataset = await receiveReady({ additionalInfo: { a: '1' } })
    expect(await save(dataset, { a: '1' })).toMatchObject({ outcome: 'saved', toEnqueue: undefined })
    expect((await bench.find(dataset)).waiting).toBe(false)
  })

  test('is not due for a dataset that waits for its first calculation, or is invalid', async () => {
    const waiting = await receive()
    expect(await save(waiting, { a: '1' })).toMatchObject({ outcome: 'saved', toEnqueue: undefined })
    const invalid = await receiveReady({ blob: Buffer.from('broken') })
    expect(await save(invalid, { a: '1' })).toMatchObject({ outcome: 'saved', toEnqueue: undefined })
    expect(await bench.find(invalid)).toMatchObject({ status: 'invalid', waiting: false })
  })

  test('is due without a blob too: the insight always reflects the saved info', async () => {
    const dataset = await receiveReady()
    await bench.db.raw('update datasets set blob = null where id = ?', [dataset.id])
    expect(await save(dataset, { a: '1' })).toMatchObject({ outcome: 'saved', toEnqueue: { id: dataset.id } })
    expect((await bench.find(dataset)).waiting).toBe(true)
  })
})

test('nothing is saved for a dataset that is unknown, deleted or of another subscription', async () => {
  const dataset = await receive()
  expect(
    await saveAdditionalInfo(bench.db, bench.subscriptionId, 'nobody', { a: '1' }, anActor('backend')),
  ).toEqual({
    outcome: 'unknown',
  })
  const other = await bench.openSubscription()
  expect(
    await saveAdditionalInfo(bench.db, other, dataset.referenceNumber, { a: '1' }, anActor('backend')),
  ).toEqual({
    outcome: 'unknown',
  })
  await bench.db.raw("update datasets set status = 'deleted' where id = ?", [dataset.id])
  expect(await save(dataset, { a: '1' })).toEqual({ outcome: 'deleted' })
  expect(await savedOf(dataset)).toEqual({})
})

test('the number of keys of a dataset is limited, and each counts once', async () => {
  const full = Object.fromEntries(Array.from({ length: MAX_INFO_KEYS - 1 }, (_, n) => [`key ${n}`, 'x']))
  const dataset = await receive({ additionalInfo: full })
  expect(await save(dataset, { one: '1', more: '2' })).toEqual({ outcome: 'too_many_keys' })
  expect(await save(dataset, { 'key 1': 'x', last: '1' })).toMatchObject({ outcome: 'saved' })
  expect(await save(dataset, { 'key 1': 'x', last: '1' })).toMatchObject({ outcome: 'saved' })
  expect(await save(dataset, { more: '2' })).toEqual({ outcome: 'too_many_keys' })
  expect(await save(dataset, { more: '2', last: '2' })).toEqual({ outcome: 'conflict', keys: ['last'] })
  expect(Object.keys(await savedOf(dataset))).toHaveLength(MAX_INFO_KEYS)
})

describe('concurrent calls', () => {
  test('cannot both set a key: one is saved completely, the others save nothing', async () => {
    for (let round = 0; round < 30; round++) {
      const dataset = await receive()
      const infos = Array.from({ length: 6 }, (_, n) => ({ key: `value ${n}`, [`only ${n}`]: 'x' }))
      const outcomes = await Promise.all(infos.map((info) => save(dataset, info)))
      const saved = infos.filter((_, n) => outcomes[n]?.outcome === 'saved')
      expect(saved).toHaveLength(1)
      expect(outcomes.filter(({ outcome }) => outcome === 'conflict')).toHaveLength(5)
      expect(await savedOf(dataset)).toEqual(saved[0])
    }
  })

  test('with different keys are all saved', async () => {
    const dataset = await receiveReady()
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => save(dataset, { [`key ${n}`]: String(n), same: 'x' })),
    )
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['saved']))
    expect(Object.keys(await savedOf(dataset))).toHaveLength(21)
  })
})
