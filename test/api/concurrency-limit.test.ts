import { expect, test } from 'vitest'
import { openConcurrencyLimit } from '../../api/account/concurrency-limit.ts'

/** Work that says how much of it is under way, and ends when told to. */
function openWork() {
  const gate = Promise.withResolvers<void>()
  let underWay = 0
  return {
    underWay: () => underWay,
    end: gate.resolve,
    async work() {
      underWay++
      await gate.promise
      underWay--
      return 'done'
    },
  }
}

const codeOf = (error: { code: string }) => error.code

test('four run concurrently, a hundred wait, and one more is rejected', async () => {
  const limitConcurrency = openConcurrencyLimit()
  const { work, underWay, end } = openWork()
  const taken = Array.from({ length: 104 }, () => limitConcurrency(work))
  await expect.poll(underWay).toBe(4)
  const beyond = await limitConcurrency(work).catch((error) => error)
  expect(beyond).toMatchObject({ code: 'overloaded', options: { retryAfterSeconds: 2 } })
  expect(underWay()).toBe(4)
  end()
  expect(await Promise.all(taken)).toEqual(Array(104).fill('done'))
  expect(await limitConcurrency(work).catch(codeOf)).toBe('done') // room again
})

test('failed work frees its slot like any other', async () => {
  const limitConcurrency = openConcurrencyLimit()
  const fail = () => Promise.reject(new Error('broken'))
  const outcomes = await Promise.allSettled(Array.from({ length: 104 }, () => limitConcurrency(fail)))
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  expect(await limitConcurrency(async () => 'done')).toBe('done')
})
