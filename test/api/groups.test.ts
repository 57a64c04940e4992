import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openGroups } from '../../api/groups.ts'

interface Item {
  readonly subscriptionId: number
  readonly name: string
}

/** Groups whose work takes until it is let go, and what each group held. */
function open({ inFlight = 1, maxItems = 100, maxBytes = 1_000, fail = (_: string): boolean => false } = {}) {
  const held: string[] = []
  const waiting: (() => void)[] = []
  const groups = openGroups({
    inFlight,
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
  const done = Promise.all(add(1, 'a', 'b', 'c'))
  expect(held).toEqual(['a'])
  await letGo()
  expect(held).toEqual(['a', 'b c'])
  await letGo()
  expect(await done).toEqual(['did a', 'did b', 'did c'])
})

test('so many groups are under way at once, and no more', async () => {
  const { add, letGo, held } = open({ inFlight: 2 })
  add(1, 'a', 'b', 'c', 'd')
  expect(held).toEqual(['a', 'b'])
  await letGo()
  expect(held).toEqual(['a', 'b', 'c d'])
})

test('a group is full by items or by bytes', async () => {
  const byItems = open({ maxItems: 2 })
  byItems.add(1, 'a', 'b', 'c', 'd', 'e')
  await byItems.letGo()
  expect(byItems.held).toEqual(['a', 'b c'])
  const byBytes = open({ maxBytes: 35 })
  byBytes.add(1, 'a', 'b', 'c', 'd', 'e')
  await byBytes.letGo()
  expect(byBytes.held).toEqual(['a', 'b c d'])
})

test('an item larger than a group may be goes alone', async () => {
  const { add, letGo, held } = open({ maxBytes: 5 })
  add(1, 'a', 'b', 'c')
  await letGo()
  await letGo()
  expect(held).toEqual(['a', 'b', 'c'])
})

test('subscriptions take turns, also from one group to the next', async () => {
  const { add, letGo, held } = open({ maxItems: 3 })
  add(1, 'a', 'flood1', 'flood2', 'flood3', 'flood4', 'flood5')
  add(2, 'x', 'y')
  add(3, 'z')
  await letGo()
  await letGo()
  await letGo()
  expect(held).toEqual(['a', 'flood1 x z', 'flood2 y flood3', 'flood4 flood5'])
})

test('of a group that fails each item is tried alone, and only those to blame fail', async () => {
  const { add, letGo, held } = open({ fail: (name) => name === 'bad' })
  const [first, ...rest] = add(1, 'a', 'b', 'bad', 'c')
  const outcomes = Promise.allSettled([first, ...rest])
  for (let n = 0; n < 5; n++) await letGo()
  expect(held).toEqual(['a', 'b bad c', 'b', 'bad', 'c'])
  expect((await outcomes).map((outcome) => ('value' in outcome ? outcome.value : 'failed'))).toEqual([
    'did a',
    'did b',
    'failed',
    'did c',
  ])
})
