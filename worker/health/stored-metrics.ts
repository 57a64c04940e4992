import { Counter, Gauge, type Registry } from 'prom-client'
import { findMostFailures } from '../../db/accounts/login-attempts.ts'
import { listSecurityEventCounts } from '../../db/audit/security-event-counts.ts'
import { countOpenCollections } from '../../db/collections/count-open.ts'
import { measureWaiting } from '../../db/events/webhook-leases.ts'
import { type DrainTime, measureDrain, openDrainScan } from '../../db/monitoring/drain-time.ts'
import { countRemovals } from '../../db/object-store/removals.ts'
import type { Db } from '../../db/postgres/database.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'
import { countSuspended } from '../../db/scorecards/suspensions.ts'
import { openDeadRowMetrics } from './dead-row-metrics.ts'

/** Timeout of each query to Postgres. */
const QUERY_MS = 2_000

const UNKNOWN: Omit<DrainTime, 'settledPerSecond'> = {
  datasets: Number.NaN,
  oldestSeconds: Number.NaN,
  secondsToDrain: Number.NaN,
}

/**
 * Adds the metrics of what Postgres stores, which every worker reports alike.
 *
 * @returns a function that reads them; it resolves within about 2 s, even if Postgres is unavailable.
 */
export function openStoredMetrics(registry: Registry, db: Db): () => Promise<void> {
  const registers = [registry]
  const waiting = new Gauge({
    name: 'inkling_datasets_waiting',
    help: 'Datasets waiting to be processed, counted up to 100000; the same for every worker. NaN if Postgres is unavailable',
    registers,
  })
  const oldest = new Gauge({
    name: 'inkling_datasets_waiting_oldest_seconds',
    help: 'Seconds since the upload of the oldest waiting dataset that was never processed; 0 if there is none',
    registers,
  })
  const drain = new Gauge({
    name: 'inkling_drain_seconds',
    help: 'Seconds until the waiting datasets are settled at the rate of the last two minutes or less; +Inf if some wait and none was settled; the same for every worker. NaN if Postgres is unavailable',
    registers,
  })
  const suspended = new Gauge({
    name: 'inkling_scorecards_suspended',
    help: 'Champions and challengers that are suspended because a row took too long or processes died with them: alert above 0; the same for every worker. NaN if Postgres is unavailable',
    registers,
  })
  const securityEvents = new Counter({
    name: 'inkling_security_events_total',
    help: 'Security events by event, outcome (success, failure or denied) and, of sign-ins, reason; the same for every worker. Missing if Postgres is unavailable',
    labelNames: ['event', 'outcome', 'reason'],
    registers,
  })
  const failuresOfOneAddress = new Gauge({
    name: 'inkling_login_failures_of_one_address',
    help: 'Most failed sign-ins from one network address in 15 minutes: it is blocked from 100. NaN if Postgres is unavailable',
    registers,
  })
  const removals = new Gauge({
    name: 'inkling_captures_to_remove',
    help: 'Captures to be removed from object storage, counted up to 10000; the same for every worker. NaN if Postgres is unavailable',
    registers,
  })
  const oldestRemoval = new Gauge({
    name: 'inkling_captures_to_remove_oldest_seconds',
    help: 'Seconds since the oldest of them was due: alert above an hour, because erased data is then still stored',
    registers,
  })
  const undelivered = new Gauge({
    name: 'inkling_webhook_waiting_seconds',
    help: 'Seconds since the oldest event that an enabled webhook has not received; the same for every worker. NaN if Postgres is unavailable',
    registers,
  })
  const openCollections = new Gauge({
    name: 'inkling_collections_open',
    help: 'Collections that are not a dataset yet: open, or complete and not claimed; counted up to 10000; the same for every worker. NaN if Postgres is unavailable',
    registers,
  })
  const deadRows = openDeadRowMetrics(db, registers)
  const scan = openDrainScan()

  return async () => {
    const within = <T>(query: Promise<T>) => withTimeout(QUERY_MS, 'Postgres', query)
    const [backlog, suspendedCount, events, mostFailures, dead, toRemove, waitingEvents, collections] =
      await Promise.all([
        within(measureDrain(db, scan)).catch(() => UNKNOWN),
        within(countSuspended(db)).catch(() => Number.NaN),
        within(listSecurityEventCounts(db)).catch(() => []),
        within(findMostFailures(db)).catch(() => Number.NaN),
        within(deadRows.read()).catch(() => undefined),
        within(countRemovals(db)).catch(() => ({ objects: Number.NaN, oldestSeconds: Number.NaN })),
        within(measureWaiting(db)).catch(() => Number.NaN),
        within(countOpenCollections(db)).catch(() => Number.NaN),
      ])
    waiting.set(backlog.datasets)
    oldest.set(backlog.oldestSeconds)
    drain.set(backlog.secondsToDrain ?? Number.POSITIVE_INFINITY)
    suspended.set(suspendedCount)
    securityEvents.reset()
    for (const { events: count, ...labels } of events) securityEvents.inc(labels, count)
    failuresOfOneAddress.set(mostFailures)
    removals.set(toRemove.objects)
    oldestRemoval.set(toRemove.oldestSeconds)
    undelivered.set(waitingEvents)
    openCollections.set(collections)
    deadRows.set(dead)
  }
}
