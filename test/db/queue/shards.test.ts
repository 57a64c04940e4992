import { expect, test } from 'vitest'
import { listShards } from '../../../db/queue/shards.ts'

const SLOTS = 16_384

/** Returns the slot of a key with a hash tag. @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ */
function slotOf(key: string): number {
  let crc = 0
  for (const byte of Buffer.from(/\{(.+)\}/.exec(key)?.[1] ?? key)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc % SLOTS
}

/** Counts the masters, of some that have equal shares of the slots, that these many queues use. */
const countUsed = (queues: number, masters: number): number =>
  new Set(listShards('cluster', queues).map(({ prefix }) => Math.floor((slotOf(prefix) * masters) / SLOTS)))
    .size

test.each([
  [4, 4],
  [8, 6],
  [16, 12],
])('%i queues use each of up to %i masters of a cluster', (queues, most) => {
  const used = Array.from({ length: most }, (_, n) => countUsed(queues, n + 1))
  expect(used).toEqual(Array.from({ length: most }, (_, n) => n + 1))
})

test('the keys of a queue are in one slot, and the queues of a smaller number are among those of a larger one', () => {
  for (const { prefix, probeKey, memoryKey } of listShards('cluster', 16))
    expect([probeKey, memoryKey].map(slotOf)).toEqual([slotOf(prefix), slotOf(prefix)])
  expect(listShards('cluster', 8).slice(0, 4)).toEqual(listShards('cluster'))
})
