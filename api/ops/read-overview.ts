import { type ListedSubscription, listSubscriptionPage } from '../../db/accounts/subscriptions.ts'
import { listRecentActions, type RecentAction } from '../../db/audit/list-recent-actions.ts'
import { countWaitingOf, type WaitingOfSubscription } from '../../db/datasets/waiting-of-subscriptions.ts'
import { measureWaiting } from '../../db/events/webhook-leases.ts'
import { type DefaultLimits, effectiveLimits, type Limits } from '../../db/limits/default-limits.ts'
import { findLimitedUse, type LimitedUse, WHOLE } from '../../db/limits/limits.ts'
import type { DrainTime } from '../../db/monitoring/drain-time.ts'
import { listProcesses, type ServiceProcess } from '../../db/monitoring/processes.ts'
import { type RecentCounts, sumRecentCounts } from '../../db/monitoring/recent-counts.ts'
import { countRemovals } from '../../db/object-store/removals.ts'
import type { Db } from '../../db/postgres/database.ts'
import { type CurrentRole, findCurrentRole } from '../../db/roles/current-role.ts'
import { countSuspended } from '../../db/scorecards/suspensions.ts'
import type { QueueSnapshot } from './read-queue.ts'

/** Subscriptions on a page. */
const PAGE_ROWS = 50

/** Minutes that rates are averaged over. */
export const RATE_MINUTES = 15

/** Events read of each subscription, and listed of all. */
const ACTIONS = { depth: 100, limit: 20 }

/** A subscription of the list with what it does. */
export interface SubscriptionLine extends ListedSubscription {
  readonly recent: Omit<RecentCounts, 'subscriptionId'>
  readonly waiting: Omit<WaitingOfSubscription, 'subscriptionId'>
  readonly use: Pick<LimitedUse, 'requests' | 'datasets' | 'bytes'>
  readonly limits: Limits
}

/** Work that waits outside of the pipeline, for all subscriptions. */
export interface Elsewhere {
  readonly suspendedScorecards: number
  /** Age of the oldest event that no webhook has received. */
  readonly webhookSeconds: number
  /** Age of the oldest capture that is due to be removed from object storage. */
  readonly removalSeconds: number
}

/** The state of the whole service. */
export interface Overview {
  readonly now: Date
  readonly drain: DrainTime
  /** undefined while its store is unavailable. */
  readonly queue: QueueSnapshot | undefined
  readonly role: CurrentRole
  readonly processes: readonly ServiceProcess[]
  readonly elsewhere: Elsewhere
  /** A page of them, in order of their creation. */
  readonly subscriptions: readonly SubscriptionLine[]
  /** Whether the counts of `waiting` are lower bounds. */
  readonly waitingAtLeast: boolean
  /** The `afterId` of the next page; undefined at the end. */
  readonly nextAfterId: number | undefined
  /** Of the subscriptions of the page. */
  readonly actions: readonly RecentAction[]
}

/**
 * Reads the overview, with one page of subscriptions. Each statement reads a bounded number of rows, however many datasets are stored.
 *
 * @param afterId the last subscription of the page before.
 * @throws while Postgres is unavailable.
 */
export async function readOverview(
  db: Db,
  {
    afterId,
    limits,
    readDrain,
    readQueue,
  }: {
    afterId: number | undefined
    limits: DefaultLimits
    readDrain: () => Promise<DrainTime>
    readQueue: () => Promise<QueueSnapshot>
  },
): Promise<Overview> {
  const found = await listSubscriptionPage(db, { afterId, limit: PAGE_ROWS + 1 })
  const page = found.slice(0, PAGE_ROWS)
  const ids = page.map(({ id }) => id)
  const [queue, drain, role, processes, elsewhere, recent, { waiting, atLeast }, use, actions] =
    await Promise.all([
      readQueue().catch(() => undefined),
      readDrain(),
      findCurrentRole(db),
      listProcesses(db),
      readElsewhere(db),
      sumRecentCounts(db, ids, RATE_MINUTES),
      countWaitingOf(db, ids),
      findLimitedUse(
        db,
        ids.map((subscriptionId) => ({ subscriptionId, keyId: WHOLE })),
      ),
      listRecentActions(db, ids, ACTIONS),
    ])
  return {
    ...{ now: new Date(), drain, queue, role, processes, elsewhere, actions },
    subscriptions: page.map((subscription) => {
      const of = <Row extends { readonly subscriptionId: number }>(rows: readonly Row[]) =>
        rows.find(({ subscriptionId }) => subscriptionId === subscription.id)
      const used = of(use)
      return {
        ...subscription,
        recent: of(recent) ?? { uploads: 0, settled: 0, invalid: 0 },
        waiting: of(waiting) ?? { datasets: 0, oldestSeconds: null, overdue: 0, again: 0 },
        use: used ?? { requests: 0, datasets: 0, bytes: 0 },
        limits: effectiveLimits(used?.settings ?? limits.subscription, limits.subscription),
      }
    }),
    waitingAtLeast: atLeast,
    nextAfterId: found.length > PAGE_ROWS ? page.at(-1)?.id : undefined,
  }
}

async function readElsewhere(db: Db): Promise<Elsewhere> {
  const [suspendedScorecards, webhookSeconds, { oldestSeconds: removalSeconds }] = await Promise.all([
    countSuspended(db),
    measureWaiting(db),
    countRemovals(db),
  ])
  return { suspendedScorecards, webhookSeconds, removalSeconds }
}
