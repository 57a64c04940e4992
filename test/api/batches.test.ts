import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openBatches } from '../../api/batches.ts'

interface Item {
  readonly subscriptionId: number
  readonly name: string
}

/** Batches whose work lasts until it is released, and the items of each batch. */
function open({
  maxItems = 100,
  maxBytes = 1_000,
  fail = (_: string): boolean => false,
  spacingMs = 0,
} = {}) {
  const held: string[] = []
  const waiting: (() => void)[] = []
  const batches = openBatches({
    maxItems,
    maxBytes,
    bytesOf: () => 10,
    spacingMs,
    async work(items: readonly Item[]) {
      held.push(items.map(({ name }) => name).join(' '))
      await new Promise<void>((resolve) => waiting.push(resolve))
      if (items.some(({ name }) => fail(name))) throw new Error(`${held.at(-1)} failed`)
      return items.map(({ name }) => `did ${name}`)
    },
  })
  const add = (subscriptionId: number, ...names: string[]) =>
    names.map((name) => batches.add({ subscriptionId, name }))
  const release = async () => {
    waiting.shift()?.()
    await delay(0)
  }
  return { add, release, held }
}

test('the first item does not wait, items that arrive meanwhile share a batch', async () => {
  const { add, release, held } = open()
  const done = [...add(1, 'a')]
  await delay(0)
  done.push(...add(1, 'b'))
  await delay(0)
  done.push(...add(1, 'c'))
  await delay(0)
  expect(held).toEqual(['a'])
  await release()
  expect(held).toEqual(['a', 'b c'])
  await release()
  expect(await Promise.all(done)).toEqual(['did a', 'did b', 'did c'])
})

test('items of one turn of the event loop share the first batch', async () => {
  const { add, held } = open()
  add(1, 'a', 'b')
  await Promise.resolve()
  add(1, 'c')
  await delay(0)
  expect(held).toEqual(['a b c'])
})

test('spaced batches start after the interval; the first item does not wait', async () => {
  const { add, release, held } = open({ spacingMs: 40 })
  add(1, 'a')
  await delay(0)
  expect(held).toEqual(['a'])
  const startedAt = performance.now()
  await release()
  add(1, 'b')
  await delay(5)
  add(1, 'c')
  expect(held).toEqual(['a'])
  await expect.poll(() => held, { interval: 1 }).toEqual(['a', 'b c'])
  expect(performance.now() - startedAt).toBeGreaterThan(30)
})

test('a batch is full by items or by bytes', async () => {
  const byItems = open({ maxItems: 2 })
  byItems.add(1, 'a', 'b', 'c', 'd', 'e')
  await delay(0)
  await byItems.release()
  expect(byItems.held).toEqual(['a b', 'c d'])
  const byBytes = open({ maxBytes: 35 })
  byBytes.add(1, 'a', 'b', 'c', 'd', 'e')
  await delay(0)
  await byBytes.release()
  expect(byBytes.held).toEqual(['a b c', 'd e'])
})

test('an item larger than the cap is a batch of its own', async () => {
  const { add, release, held } = open({ maxBytes: 5 })
  add(1, 'a', 'b', 'c')
  await delay(0)
  await release()
  await release()
  expect(held).toEqual(['a', 'b', 'c'])
})

test('subscriptions alternate, also from one batch to the next', async () => {
  const { add, release, held } = open({ maxItems: 3 })
  add(1, 'flood1', 'flood2', 'flood3', 'flood4', 'flood5', 'flood6')
  add(2, 'x', 'y')
  add(3, 'z')
  await delay(0)
  await release()
  await release()
  await release()
  expect(held).toEqual(['flood1 x z', 'flood2 y flood3', 'flood4 flood5 flood6'])
})

test('the items of a failed batch are retried one by one, and only the bad ones fail', async () => {
  const { add, release, held } = open({ fail: (name) => name === 'bad' })
  const outcomes = Promise.allSettled(add(1, 'a', 'b', 'bad', 'c'))
  await delay(0)
  for (let n = 0; n < 5; n++) await release()
  expect(held).toEqual(['a b bad c', 'a', 'b', 'bad', 'c'])
  expect((await outcomes).map((outcome) => ('value' in outcome ? outcome.value : 'failed'))).toEqual([
    'did a',
    'did b',
    'failed',
    'did c',
  ])
})
