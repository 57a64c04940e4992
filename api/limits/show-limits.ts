import {
  type DefaultLimits,
  effectiveLimits,
  type LimitSettings,
  NO_DEFAULTS,
} from '../../db/limits/default-limits.ts'
import { findLimitedUse, type LimitedUse, listKeyUse, WHOLE } from '../../db/limits/limits.ts'
import { findStoredBytes } from '../../db/limits/stored-bytes.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { presentTimestamp } from '../http/timestamp.ts'
import { LimitsAndUse } from './limit-schemas.ts'

const DAY_MS = 86_400_000

/** Returns the limits of the caller's subscription. @param defaults limits of subscriptions and keys without their own. */
export const showLimits = (db: Db, defaults: DefaultLimits = NO_DEFAULTS) =>
  endpoint({
    method: 'get',
    path: '/api/limits/v1',
    operationId: 'showLimits',
    tag: 'API keys',
    summary: 'Returns the limits of the subscription and its keys, and their use',
    description:
      'Limits are set by the operator of the service. Use is up to 5 s old. Responses to API keys have the limits and what is left ' +
      'of them in RateLimit-Policy and RateLimit.',
    credential: { kind: 'login', roles: ['admin'] },
    response: { status: 200, description: 'Limits and use', schema: LimitsAndUse },
    problems: [],
    async act({ caller: { subscriptionId } }) {
      const [[whole], stored, keys] = await Promise.all([
        findLimitedUse(db, [{ subscriptionId, keyId: WHOLE }]),
        findStoredBytes(db, subscriptionId),
        listKeyUse(db, subscriptionId),
      ])
      if (!whole) throw new Error('A subscription has no use')
      const { requests, datasets, bytesStored } = presentUse(whole, defaults.subscription)
      return {
        day: whole.day,
        resetsAt: presentTimestamp(new Date(Date.parse(whole.day) + DAY_MS)),
        subscription: {
          requests,
          datasets,
          bytes: {
            limit: bytesStored,
            stored: stored.bytes,
            measuredAt: stored.measuredAt && presentTimestamp(stored.measuredAt),
          },
        },
        keys: keys
          .map((key) => ({ id: key.keyId, label: key.label, ...presentUse(key, defaults.key) }))
          .map(({ bytesStored: _, ...key }) => key),
      }
    },
  })

function presentUse({ settings, requests, datasets }: LimitedUse, defaults: LimitSettings) {
  const limits = effectiveLimits(settings, defaults)
  return {
    requests: {
      perSecond: limits.requests?.perSecond ?? null,
      burst: limits.requests?.burst ?? null,
      today: requests,
    },
    datasets: { perDay: limits.datasetsPerDay, today: datasets },
    bytesStored: limits.bytesStored,
  }
}
