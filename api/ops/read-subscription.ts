import { findListedSubscription, type ListedSubscription } from '../../db/accounts/subscriptions.ts'
import { findTestSubscription } from '../../db/accounts/test-subscriptions.ts'
import { listRecentActions, type RecentAction } from '../../db/audit/list-recent-actions.ts'
import { measureSubscriptionBacklog, type SubscriptionBacklog } from '../../db/datasets/backlog.ts'
import { countInvalidReasons, type InvalidSummary } from '../../db/datasets/invalid-summary.ts'
import { findRetention, type Retention } from '../../db/datasets/retention.ts'
import { type DefaultLimits, effectiveLimits, type Limits } from '../../db/limits/default-limits.ts'
import { findLimitedUse, type LimitedUse, WHOLE } from '../../db/limits/limits.ts'
import { findStoredBytes } from '../../db/limits/stored-bytes.ts'
import { listPipelineCounts } from '../../db/monitoring/pipeline-counts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { type PipelineSpan, summariseCounts } from '../pipeline/summarise-counts.ts'

const HOUR_MS = 3_600_000

/** Hours that are listed. */
const HOURS = 24

/** Invalid datasets that are counted, the newest: 20 ms. */
const MAX_INVALID = 10_000

/** Events read, and listed. */
const ACTIONS = { depth: 1_000, limit: 20 }

/** The state of one subscription. */
export interface SubscriptionState {
  readonly now: Date
  readonly subscription: ListedSubscription
  /** Its test mode. */
  readonly testId: number | undefined
  readonly waiting: SubscriptionBacklog
  readonly invalid: InvalidSummary
  /** The last hours, newest first; the first one is incomplete. */
  readonly hours: readonly (PipelineSpan & { readonly at: Date })[]
  readonly day: PipelineSpan
  readonly use: Pick<LimitedUse, 'requests' | 'datasets'>
  readonly limits: Limits
  readonly stored: { readonly bytes: number; readonly measuredAt: Date | null }
  readonly retention: Retention
  readonly actions: readonly RecentAction[]
}

/** Reads a subscription, a bounded number of rows of it. @returns undefined if there is none of this id. */
export async function readSubscription(
  db: Db,
  id: number,
  limits: DefaultLimits,
): Promise<SubscriptionState | undefined> {
  const subscription = await findListedSubscription(db, id)
  if (!subscription) return undefined
  const now = new Date()
  const since = new Date((Math.floor(now.getTime() / HOUR_MS) - HOURS + 1) * HOUR_MS)
  const [testId, waiting, invalid, counts, [used], stored, retention, actions] = await Promise.all([
    findTestSubscription(db, id),
    measureSubscriptionBacklog(db, id),
    countInvalid(db, id),
    listPipelineCounts(db, id, since),
    findLimitedUse(db, [{ subscriptionId: id, keyId: WHOLE }]),
    findStoredBytes(db, id),
    findRetention(db, id),
    listRecentActions(db, [id], ACTIONS),
  ])
  const { series, total: day } = summariseCounts(counts, { since, stepMs: HOUR_MS, steps: HOURS })
  return {
    ...{ now, subscription, testId, waiting, invalid, day, stored, retention, actions },
    hours: series.toReversed(),
    use: used ?? { requests: 0, datasets: 0 },
    limits: effectiveLimits(used?.settings ?? limits.subscription, limits.subscription),
  }
}

/** Counts the invalid datasets that do not wait to be processed again. */
export const countInvalid = (db: Db, id: number): Promise<InvalidSummary> =>
  countInvalidReasons(db, id, MAX_INVALID)
