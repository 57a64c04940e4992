import { Problem } from '../http/problem.ts'
import { presentTimestamp } from '../http/timestamp.ts'
import type { LimitName } from './limit-names.ts'

const UNITS = {
  'key-requests': 'requests at once',
  'key-datasets': 'datasets a day',
  'subscription-requests': 'requests at once',
  'subscription-datasets': 'datasets a day',
  'subscription-bytes': 'bytes of captures',
} as const satisfies Record<LimitName, string>

const REMEDIES = {
  requests: 'retry after the seconds in Retry-After',
  datasets: 'the day ends at midnight UTC',
  bytes: 'delete datasets, or shorten their retention',
} as const

/** Returns the problem `rate_limited` of a limit that is reached. @param retryMs milliseconds until a retry can be successful. */
export function limitProblem(name: LimitName, quota: number, retryMs: number): Problem {
  const [owner, kind] = name.split('-') as ['key' | 'subscription', keyof typeof REMEDIES]
  const retryAfterSeconds = Math.max(1, Math.ceil(retryMs / 1_000))
  return new Problem('rate_limited', {
    detail: `The ${owner === 'key' ? 'API key' : owner} has a limit of ${quota} ${UNITS[name]}, which is reached; ${REMEDIES[kind]}`,
    retryAfterSeconds,
    members: {
      limit: { name, quota, retryAt: presentTimestamp(new Date(Date.now() + retryAfterSeconds * 1_000)) },
    },
  })
}
