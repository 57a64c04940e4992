import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openInFlightBatches } from '../../../worker/batches/in-flight-batches.ts'

const keys = (...ids: number[]) => ids.map((id) => ({ subscriptionId: 1, id }))

/** Groups whose work takes until it is let go, and which of them began. */
function open() {
  const inFlight = openInFlightBatches()
  const began: string[] = []
  const end = new Map<string, (error?: Error) => void>()
  const start = (name: string, ...ids: number[]) =>
    inFlight.afterOverlapping(keys(...ids), () => {
      began.push(name)
      return new Promise<void>((resolve, reject) => {
        end.set(name, (error) => (error ? reject(error) : resolve()))
      })
    })
  return { start, began, end: (name: string, error?: Error) => end.get(name)?.(error) }
}

test('a group waits for one as small that is at the same dataset, whatever becomes of that', async () => {
  const { start, began, end } = open()
  const first = start('first', 1)
  const second = start('second', 1)
  await delay(5)
  expect(began).toEqual(['first'])
  end('first', new Error('Postgres is away'))
  await expect(first).rejects.toThrow('Postgres is away')
  await delay(5)
  expect(began).toEqual(['first', 'second'])
  end('second')
  await second
})

test('groups of other datasets wait for nobody', async () => {
  const { start, began } = open()
  void start('one', 1, 2)
  void start('other', 3, 4)
  await delay(5)
  expect(began).toEqual(['one', 'other'])
})

test('a reader’s dataset does not wait for the larger group that it is part of', async () => {
  const { start, began } = open()
  void start('burst', 1, 2, 3)
  void start('reader', 2)
  await delay(5)
  expect(began).toEqual(['burst', 'reader'])
})

test('what has ended is waited for no more', async () => {
  const { start, began, end } = open()
  const first = start('first', 1)
  await delay(5)
  end('first')
  await first
  void start('second', 1)
  await delay(5)
  expect(began).toEqual(['first', 'second'])
})
