import { presentBytes } from '../../api/ops/formats.ts'
import type { Finding } from '../../db/checks/finding.ts'
import type { RedisState } from '../../db/checks/redis-state.ts'
import type { Check } from './check.ts'
import { describeError } from './describe-error.ts'
import { Skipped } from './skipped.ts'

/** The oldest version that BullMQ accepts, and the oldest that it recommends. */
const OLDEST = [5, 0] as const
const RECOMMENDED = [6, 2] as const

/** Checks that Redis answers, its version, and its settings. No setting of Redis loses a dataset: jobs are made again from Postgres. */
export const checkRedis: Check = {
  name: 'redis',
  async run({ redis }) {
    try {
      const states = await redis()
      const findings = states.flatMap(judgeRedis)
      return {
        saw: states.map(describe).join('; '),
        findings: [...new Map(findings.map((one) => [one.message, one])).values()],
      }
    } catch (error) {
      if (error instanceof Skipped) throw error
      const message = `Redis does not answer: ${describeError(error)}. Uploads are accepted, and processed once it is back`
      const remedy =
        'Check REDIS_URL, that Redis runs, that this machine may connect to it, and what its user may do'
      return { saw: 'nothing', findings: [{ level: 'error', message, remedy }] }
    }
  },
}

const describe = ({ server, version, usedBytes, maxBytes }: RedisState) =>
  `${server} ${version}, ${presentBytes(usedBytes)} used${maxBytes > 0 ? ` of ${presentBytes(maxBytes)}` : ''}`

/** Judges the state of a server. */
export function judgeRedis(state: RedisState): Finding[] {
  const { server, version, policy, usedBytes, maxBytes } = state
  const findings: Finding[] = []
  if (server === 'Redis' && !isAtLeast(version, RECOMMENDED))
    findings.push({
      level: isAtLeast(version, OLDEST) ? 'warning' : 'error',
      message: `Redis ${version} is older than ${RECOMMENDED.join('.')}, the oldest recommended version`,
      remedy: 'Upgrade Redis, or use Valkey: jobs need not be moved, they are made again from Postgres',
    })
  if (state.isReplica)
    findings.push({
      level: 'error',
      message: `${server} is a replica and accepts no jobs: uploads wait until a worker's relay reaches the primary`,
      remedy: 'Set REDIS_URL to the address of the primary',
    })
  if (state.saveFailed)
    findings.push({
      level: 'error',
      message: `${server} could not write its data to disk, and rejects jobs unless stop-writes-on-bgsave-error is no`,
      remedy: 'Free its disk or correct its permissions, then: redis-cli bgsave',
    })
  if (policy !== undefined && policy !== 'noeviction')
    findings.push({
      level: 'warning',
      message: `${server} may evict jobs, which delays datasets: its maxmemory-policy is ${policy}`,
      remedy:
        'redis-cli config set maxmemory-policy noeviction, and the same in redis.conf; give no other application this Redis',
    })
  if (maxBytes > 0 && usedBytes > 0.8 * maxBytes)
    findings.push({
      level: 'warning',
      message: `${server} uses ${Math.round((100 * usedBytes) / maxBytes)} % of its maxmemory: a full one rejects jobs, and datasets wait for the relay`,
      remedy:
        'Raise maxmemory (256 MB are enough for the queue), or remove what other applications have stored in it',
    })
  if (state.persists === false)
    findings.push({
      level: 'note',
      message: `${server} keeps nothing on disk: after its restart, jobs are made again from Postgres within 15 s or, for datasets that were enqueued again before, within minutes`,
    })
  return findings
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}
