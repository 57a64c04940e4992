import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { cacheLookups } from '../../api/account/credential-cache.ts'

const KNOWN = { id: 1 }

function open() {
  const find = vi.fn(async (presented: string) => (presented === 'known' ? KNOWN : undefined))
  return { find, lookUp: cacheLookups(find) }
}

test('a credential is looked up once, whether it exists or not, also by concurrent requests', async () => {
  const { find, lookUp } = open()
  expect(await Promise.all([lookUp('known'), lookUp('known'), lookUp('junk')])).toEqual([
    KNOWN,
    KNOWN,
    undefined,
  ])
  expect([lookUp('known'), lookUp('junk')]).toEqual([KNOWN, undefined])
  expect(find).toHaveBeenCalledTimes(2)
})

test('a failed lookup is not cached', async () => {
  const { find, lookUp } = open()
  find.mockRejectedValueOnce(new Error('no database'))
  await expect(lookUp('known')).rejects.toThrow('no database')
  await delay(1)
  expect(await lookUp('known')).toEqual(KNOWN)
})

test('junk of strangers neither displaces callers nor fills memory', async () => {
  const { find, lookUp } = open()
  const before = process.memoryUsage.rss()
  // once, 21,000 requests with tokens of 15 KB left 200 MB behind
  for (let n = 0; n < 21_000; n++) {
    expect(lookUp(`${n}`.padEnd(15_000, 'x'))).toBeUndefined()
    if (n % 1_000 === 0) await lookUp('known')
    await lookUp(`${n}`.padEnd(990, 'x'))
  }
  const lookupsOfKnown = find.mock.calls.filter(([presented]) => presented === 'known').length
  expect(lookupsOfKnown).toBeLessThan(21) // cached for 3 s, whatever came between
  expect(find.mock.calls.length - lookupsOfKnown).toBe(21_000)
  expect((process.memoryUsage.rss() - before) / 1024 / 1024).toBeLessThan(100)
})
