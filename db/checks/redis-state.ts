import type { Redis } from 'ioredis'
import { clockDifference } from './check-clock.ts'

/** State and settings of a Redis, or of what speaks its protocol. */
export interface RedisState {
  /** `Valkey`, or `Redis` for everything that does not say otherwise. */
  readonly server: 'Redis' | 'Valkey'
  readonly version: string
  /** Whether it follows another server, and so accepts no jobs. */
  readonly isReplica: boolean
  /** undefined where it is not reported. */
  readonly policy: string | undefined
  readonly usedBytes: number
  /** 0 if there is no limit. */
  readonly maxBytes: number
  /** Whether it writes its data to disk; undefined where it does not say. */
  readonly persists: boolean | undefined
  /** Whether it rejects changes because it could not write its data to disk. */
  readonly saveFailed: boolean
  /** See `clockDifference`; undefined where its user may not ask for the time. */
  readonly aheadMs: number | undefined
}

type Commands = Pick<Redis, 'info' | 'time' | 'config'>

/** Reads the state of one server. `CONFIG` and `TIME`, which not every user may run, are not needed. */
export async function readRedisState(redis: Commands): Promise<RedisState> {
  const info = await redis.info()
  const aheadMs = await compareClock(redis)
  const save = await findSave(redis)
  const read = (member: string) => new RegExp(`^${member}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const valkey = read('valkey_version')
  const appends = read('aof_enabled') === '1'
  return {
    server: valkey === undefined ? 'Redis' : 'Valkey',
    version: valkey ?? read('redis_version') ?? 'of unknown version',
    isReplica: read('role') === 'slave',
    policy: read('maxmemory_policy'),
    usedBytes: Number(read('used_memory') ?? 0),
    maxBytes: Number(read('maxmemory') ?? 0),
    persists: appends || (save === undefined ? undefined : save !== ''),
    saveFailed: save !== '' && read('rdb_last_bgsave_status') === 'err',
    aheadMs,
  }
}

async function compareClock(redis: Commands): Promise<number | undefined> {
  const askedAt = Date.now()
  const time = await redis.time().catch(() => undefined)
  if (!time) return undefined
  const [seconds = 0, microseconds = 0] = time.map(Number)
  return clockDifference(seconds * 1_000 + microseconds / 1_000, askedAt, Date.now())
}

/** Returns when it writes snapshots, empty for never; undefined where the command is not permitted. */
async function findSave(redis: Commands): Promise<string | undefined> {
  const answer = await redis.config('GET', 'save').catch(() => undefined)
  const value = Array.isArray(answer) ? answer[1] : undefined
  return typeof value === 'string' ? value : undefined
}
