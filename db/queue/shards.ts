import type { RedisAddress } from '../runtime/redis-url.ts'

/**
 * One of the queues over which jobs are spread. In a cluster, all keys of a queue have to be on one server, which the text in
 * braces of their names selects: several queues use several servers.
 */
export interface Shard {
  /** Beginning of the names of BullMQ's keys. */
  readonly prefix: string
  /** Key that probes write. Expires after 60 s. */
  readonly probeKey: string
  /** Absent when Redis was wiped or replaced, or came back without its data: the jobs are lost as well. */
  readonly memoryKey: string
}

/** The queue outside of a cluster: its names are those of BullMQ, since earlier versions had no other. */
const ONLY_SHARD: Shard = { prefix: 'bull', probeKey: 'inkling:probe', memoryKey: 'inkling:memory' }

const DEFAULT_SHARDS = 4

/**
 * Lists the queues of a location: one outside of a cluster, `count` in it.
 *
 * Where masters have equal shares of the cluster's slots, 4 queues use each of up to 4 masters, 8 each of up to 6, and 16 each of
 * up to 12: the last digit of a name selects a quarter of the slots. The queues of a smaller count are among those of a larger one.
 */
export const listShards = (kind: RedisAddress['kind'], count = DEFAULT_SHARDS): readonly Shard[] =>
  kind === 'cluster' ? Array.from({ length: count }, (_, number) => shardOf(number)) : [ONLY_SHARD]

function shardOf(number: number): Shard {
  const prefix = `{inkling:${Math.floor(number / 4)}.${number % 4}}`
  return { prefix, probeKey: `${prefix}:probe`, memoryKey: `${prefix}:memory` }
}
