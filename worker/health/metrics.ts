import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { findMostFailures } from '../../db/accounts/login-attempts.ts'
import { listSecurityEventCounts } from '../../db/audit/security-event-counts.ts'
import { type Backlog, measureBacklog, openBacklogScan } from '../../db/datasets/backlog.ts'
import { measureWaiting } from '../../db/events/webhook-leases.ts'
import type { OnObjectRequest } from '../../db/object-store/object-store.ts'
import { countRemovals } from '../../db/object-store/removals.ts'
import type { Db } from '../../db/postgres/database.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'
import { countSuspended } from '../../db/scorecards/suspensions.ts'
import type { BatchOutcome } from '../batches/batch-context.ts'
import type { ScoreStability } from '../monitoring/score-stability.ts'
import { openDeadRowMetrics } from './dead-row-metrics.ts'
import type { Progress } from './progress.ts'

/** Limit of the dataset count, and timeout of its query to Postgres. */
const BACKLOG = { limit: 10_000, timeoutMs: 2_000 }

const UNKNOWN: Backlog = { datasets: Number.NaN, oldestSeconds: Number.NaN }

/** Metrics of this process in the text format of Prometheus. */
export interface Metrics {
  readonly contentType: string
  /** Counts a job by its outcome and settles as the job does. */
  countJob(job: Promise<void>): Promise<void>
  countBatch(outcome: BatchOutcome): void
  /** Replaces the score stability metrics with those of these scorecards. */
  setStability(measured: readonly ScoreStability[]): void
  countObjectRequest: OnObjectRequest
  /** Counts an attempt to deliver an event to a webhook. */
  countDelivery(outcome: 'delivered' | 'failed'): void
  /** Resolves within about 2 s, even if Postgres is unavailable. */
  present(): Promise<string>
}

export function openMetrics({ db, progress }: { db: Db; progress: Progress }): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })

  const jobs = new Counter({
    name: 'inkling_worker_jobs_total',
    help: 'Completed jobs by outcome: done or failed (failed jobs may be retried)',
    labelNames: ['outcome'],
    registers,
  })
  const datasets = new Counter({
    name: 'inkling_worker_datasets_total',
    help: 'Processed datasets by outcome: ready, invalid (the data cannot be decoded) or failed (still waiting)',
    labelNames: ['outcome'],
    registers,
  })
  const batchSeconds = new Histogram({
    name: 'inkling_worker_group_seconds',
    help: 'Seconds from reading the datasets of a batch to storing their results',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  for (const outcome of ['done', 'failed']) jobs.inc({ outcome }, 0)
  for (const outcome of ['ready', 'invalid', 'failed']) datasets.inc({ outcome }, 0)

  new Gauge({
    name: 'inkling_worker_stuck',
    help: '1 while this process makes no progress on waiting work or on a job in flight, otherwise 0',
    registers,
    collect() {
      this.set(progress.findStuck() ? 1 : 0)
    },
  })
  const waiting = new Gauge({
    name: 'inkling_datasets_waiting',
    help: `Datasets waiting to be processed, counted up to ${BACKLOG.limit}; the same for every worker. NaN if Postgres is unavailable`,
    registers,
  })
  const oldest = new Gauge({
    name: 'inkling_datasets_waiting_oldest_seconds',
    help: 'Seconds since the upload of the oldest waiting dataset that was never processed; 0 if there is none',
    registers,
  })

  const suspended = new Gauge({
    name: 'inkling_scorecards_suspended',
    help: 'Champions and challengers that are suspended because a row took too long or processes died with them: alert above 0; the same for every worker. NaN if Postgres is unavailable',
    registers,
  })

  const psi = new Gauge({
    name: 'inkling_score_psi',
    help: 'Population stability index (PSI) of the scores of yesterday against the expected distribution or the first 30 days: investigate from 0.10, shifted from 0.25; the same for every worker',
    labelNames: ['subscription', 'code', 'version'],
    registers,
  })
  const csi = new Gauge({
    name: 'inkling_score_csi',
    help: 'Characteristic stability index (CSI) of the bins of a characteristic, for the three characteristics of each scorecard with the largest shift',
    labelNames: ['subscription', 'code', 'version', 'characteristic'],
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

  const objectSeconds = new Histogram({
    name: 'inkling_capture_store_seconds',
    help: 'Seconds of requests to object storage with their retries, by operation (write, read, remove, list or check) and outcome (done or failed)',
    labelNames: ['operation', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })
  const removals = new Gauge({
    name: 'inkling_captures_to_remove',
    help: 'Captures to be removed from object storage, counted up to 10000; the same for every worker. NaN if Postgres is unavailable',
    registers,
  })
  const oldestRemoval = new Gauge({
    name: 'inkling_captures_to_remove_oldest_seconds',
    help: 'Seconds since the oldest of them was due: alert above an hour, for then erased data is still stored',
    registers,
  })

  const deliveries = new Counter({
    name: 'inkling_webhook_attempts_total',
    help: 'Attempts to deliver events to webhooks by outcome: delivered or failed (they are repeated for three days)',
    labelNames: ['outcome'],
    registers,
  })
  const undelivered = new Gauge({
    name: 'inkling_webhook_waiting_seconds',
    help: 'Seconds since the oldest event that an enabled webhook has not received; the same for every worker. NaN if Postgres is unavailable',
    registers,
  })

  const deadRows = openDeadRowMetrics(db, registers)
  const scan = openBacklogScan()
  let presenting: Promise<string> | undefined
  async function present(): Promise<string> {
    const within = <T>(query: Promise<T>) => withTimeout(BACKLOG.timeoutMs, 'Postgres', query)
    const [backlog, suspendedCount, events, mostFailures, dead, toRemove, waitingEvents] = await Promise.all([
      within(measureBacklog(db, BACKLOG.limit, scan)).catch(() => UNKNOWN),
      within(countSuspended(db)).catch(() => Number.NaN),
      within(listSecurityEventCounts(db)).catch(() => []),
      within(findMostFailures(db)).catch(() => Number.NaN),
      within(deadRows.read()).catch(() => undefined),
      within(countRemovals(db)).catch(() => ({ objects: Number.NaN, oldestSeconds: Number.NaN })),
      within(measureWaiting(db)).catch(() => Number.NaN),
    ])
    suspended.set(suspendedCount)
    removals.set(toRemove.objects)
    undelivered.set(waitingEvents)
    oldestRemoval.set(toRemove.oldestSeconds)
    failuresOfOneAddress.set(mostFailures)
    securityEvents.reset()
    for (const { events: count, ...labels } of events) securityEvents.inc(labels, count)
    deadRows.set(dead)
    waiting.set(backlog.datasets)
    oldest.set(backlog.oldestSeconds)
    return registry.metrics()
  }

  return {
    contentType: registry.contentType,
    countObjectRequest: (operation, seconds, outcome) =>
      objectSeconds.observe({ operation, outcome }, seconds),
    countDelivery: (outcome) => deliveries.inc({ outcome }),
    async countJob(job) {
      try {
        await job
        jobs.inc({ outcome: 'done' })
      } catch (error) {
        jobs.inc({ outcome: 'failed' })
        throw error
      }
    },
    countBatch({ ready, invalid, failed, ms }) {
      datasets.inc({ outcome: 'ready' }, ready)
      datasets.inc({ outcome: 'invalid' }, invalid)
      datasets.inc({ outcome: 'failed' }, failed)
      batchSeconds.observe(ms / 1_000)
    },
    setStability(measured) {
      psi.reset()
      csi.reset()
      for (const { subscriptionId, code, version, psi: ofScores, characteristics } of measured) {
        const labels = { subscription: subscriptionId, code, version: version.slice(0, 12) }
        psi.set(labels, ofScores)
        for (const { name, csi: ofBins } of characteristics)
          csi.set({ ...labels, characteristic: name }, ofBins)
      }
    },
    present() {
      // concurrent requests share one query to Postgres
      presenting ??= present().finally(() => {
        presenting = undefined
      })
      return presenting
    },
  }
}
