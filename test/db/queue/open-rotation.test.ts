import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openRotation } from '../../../db/queue/open-rotation.ts'

const callOf =
  (calls: string[], failing: ReadonlySet<string> = new Set()) =>
  async (item: string) => {
    calls.push(item)
    if (failing.has(item)) throw new Error(`${item} failed`)
    return item
  }

test('calls are spread evenly', async () => {
  const calls: string[] = []
  const inTurn = openRotation(['a', 'b', 'c'], 1_000)
  for (let n = 0; n < 6; n++) await inTurn(callOf(calls))
  expect(calls).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
})

test('an item that fails is replaced by the next, and left out for a while', async () => {
  const calls: string[] = []
  const failing = new Set(['a'])
  const inTurn = openRotation(['a', 'b'], 50)
  expect(await inTurn(callOf(calls, failing))).toBe('b')
  for (let n = 0; n < 3; n++) expect(await inTurn(callOf(calls, failing))).toBe('b')
  expect(calls).toEqual(['a', 'b', 'b', 'b', 'b'])
  await delay(60)
  failing.clear()
  expect(await inTurn(callOf(calls, failing))).toBe('a')
})

test('while all are left out, calls fail at once with the last error', async () => {
  const calls: string[] = []
  const inTurn = openRotation(['a', 'b'], 1_000)
  for (let n = 0; n < 3; n++)
    await expect(inTurn(callOf(calls, new Set(['a', 'b'])))).rejects.toThrow('b failed')
  expect(calls).toEqual(['a', 'b'])
})

test('an only item is always tried', async () => {
  const calls: string[] = []
  const inTurn = openRotation(['a'], 1_000)
  await expect(inTurn(callOf(calls, new Set(['a'])))).rejects.toThrow('a failed')
  expect(await inTurn(callOf(calls))).toBe('a')
})
