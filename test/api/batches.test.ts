import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openBatches } from '../../api/batches.ts'

interface Item {
  readonly subscriptionId: number
  readonly name: string
}

/** Batches whose work takes until it is let go, and what each group held. */
function open({ maxItems = 100, maxBytes = 1_000, fail = (_: string): boolean => false } = {}) {
  const held: string[] = []
  const waiting: (() => void)[] = []
  const groups = openBatches({
    maxItems,
    maxBytes,
    bytesOf: () => 10,
    async work(items: readonly Item[]) {
      held.push(items.map(({ name }) => name).join(' '))
      await new Promise<void>((resolve) => waiting.push(resolve))
      if (items.some(({ name }) => fail(name))) throw new Error(`${held.at(-1)} failed`)
      return items.map(({ name }) => `did ${name}`)
    },
  })
  const add = (subscriptionId: number, ...names: string[]) =>
    names.map((name) => groups.add({ subscriptionId, name }))
  const letGo = async () => {
    waiting.shift()?.()
    await delay(0)
  }
  return { add, letGo, held }
}

test('the first item waits for nobody, what arrives meanwhile goes together', async () => {
  const { add, letGo, held } = open()
  const done = [...add(1, 'a')]
  await delay(0)
  done.push(...add(1, 'b'))
  await delay(0)
  done.push(...add(1, 'c'))
  await delay(0)
  expect(held).toEqual(['a'])
  await letGo()
  expect(held).toEqual(['a', 'b c'])
  await letGo()
  expect(await Promise.all(done)).toEqual(['did a', 'did b', 'did c'])
})

test('what arrives in one turn of the event loop goes together from the first', async () => {
  const { add, held } = open()
  add(1, 'a', 'b')
  await Promise.resolve()
  add(1, 'c')
  await delay(0)
  expect(held).toEqual(['a b c'])
})

test('a group is full by items or by bytes', async () => {
  const byItems = open({ maxItems: 2 })
  byItems.add(1, 'a', 'b', 'c', 'd', 'e')
  await delay(0)
  await byItems.letGo()
  expect(byItems.held).toEqual(['a b', 'c d'])
  const byBytes = open({ maxBytes: 35 })
  byBytes.add(1, 'a', 'b', 'c', 'd', 'e')
  await delay(0)
  await byBytes.letGo()
  expect(byBytes.held).toEqual(['a b c', 'd e'])
})

test('an item larger than a group may be goes alone', async () => {
  const { add, letGo, held } = open({ maxBytes: 5 })
  add(1, 'a', 'b', 'c')
  await delay(0)
  await letGo()
  await letGo()
  expect(held).toEqual(['a', 'b', 'c'])
})

test('subscriptions take turns, also from one group to the next', async () => {
  const { add, letGo, held } = open({ maxItems: 3 })
  add(1, 'flood1', 'flood2', 'flood3', 'flood4', 'flood5', 'flood6')
  add(2, 'x', 'y')
  add(3, 'z')
  await delay(0)
  await letGo()
  await letGo()
  await letGo()
  expect(held).toEqual(['flood1 x z', 'flood2 y flood3', 'flood4 flood5 flood6'])
})

test('of a group that fails each item is tried alone, and only those to blame fail', async () => {
  const { add, letGo, held } = open({ fail: (name) => name === 'bad' })
  const outcomes = Promise.allSettled(add(1, 'a', 'b', 'bad', 'c'))
  await delay(0)
  for (let n = 0; n < 5; n++) await letGo()
  expect(held).toEqual(['a b bad c', 'a', 'b', 'bad', 'c'])
  expect((await outcomes).map((outcome) => ('value' in outcome ? outcome.value : 'failed'))).toEqual([
    'did a',
    'did b',
    'failed',
    'did c',
  ])
})
