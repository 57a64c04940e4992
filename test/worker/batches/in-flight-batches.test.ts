import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openInFlightBatches } from '../../../worker/batches/in-flight-batches.ts'

const keys = (...ids: number[]) => ids.map((id) => ({ subscriptionId: 1, id }))

/** Batches whose work lasts until it is ended, and which of them began. */
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

test('a batch waits for one as small that shares a dataset, whether that succeeds or fails', async () => {
  const { start, began, end } = open()
  const first = start('first', 1)
  const second = start('second', 1)
  await delay(5)
  expect(began).toEqual(['first'])
  end('first', new Error('Postgres is unavailable'))
  await expect(first).rejects.toThrow('Postgres is unavailable')
  await delay(5)
  expect(began).toEqual(['first', 'second'])
  end('second')
  await second
})

test('batches without a shared dataset do not wait', async () => {
  const { start, began } = open()
  void start('one', 1, 2)
  void start('other', 3, 4)
  await delay(5)
  expect(began).toEqual(['one', 'other'])
})

test('a reader’s dataset does not wait for a larger batch that contains it', async () => {
  const { start, began } = open()
  void start('burst', 1, 2, 3)
  void start('reader', 2)
  await delay(5)
  expect(began).toEqual(['burst', 'reader'])
})

test('batches do not wait for one that has ended', async () => {
  const { start, began, end } = open()
  const first = start('first', 1)
  await delay(5)
  end('first')
  await first
  void start('second', 1)
  await delay(5)
  expect(began).toEqual(['first', 'second'])
})
