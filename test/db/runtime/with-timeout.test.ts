import { describe, expect, test } from 'vitest'
import { withTimeout } from '../../../db/runtime/with-timeout.ts'

const never = new Promise<never>(() => undefined)

describe('withTimeout', () => {
  test('returns the outcome of the work', async () => {
    expect(await withTimeout(1_000, 'Postgres', Promise.resolve(1))).toBe(1)
    await expect(withTimeout(1_000, 'Postgres', Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    )
  })

  test('names the callee that does not answer', async () => {
    await expect(withTimeout(20, 'Postgres', never)).rejects.toThrow('Postgres did not answer within 20 ms')
  })

  test('rejects with the error of the caller, if given', async () => {
    class Late extends Error {}
    await expect(withTimeout(20, () => new Late('too late'), never)).rejects.toThrow(Late)
  })
})
