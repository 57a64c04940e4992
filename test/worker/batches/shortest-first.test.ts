import { expect, test } from 'vitest'
import { openShortestFirst } from '../../../worker/batches/shortest-first.ts'

test('the batch with the fewest datasets left runs first, and ends before a larger one continues', async () => {
  const scheduler = openShortestFirst()
  const done: string[] = []
  const work = async (name: string, datasets: number) => {
    for (let left = datasets; left > 0; left--) {
      await scheduler.next(left)
      done.push(name)
      if (name === 'large' && left === 3) void work('reader', 1)
    }
  }
  await Promise.all([work('large', 4), work('small', 2)])
  expect(done).toEqual(['small', 'small', 'large', 'large', 'reader', 'large', 'large'])
})
