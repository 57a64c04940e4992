import type { Job } from 'bullmq'
import type { JobsView } from '../../db/queue/backend.ts'
import type { BatchJob } from '../../db/queue/job.ts'

/** Snapshot of the queue. */
export interface QueueSnapshot {
  readonly counts: Readonly<Record<(typeof STATES)[number], number>>
  /** Connected workers; undefined where the store does not list them. */
  readonly workers: number | undefined
  readonly active: readonly JobSummary[]
  readonly waiting: readonly JobSummary[]
  readonly failed: readonly JobSummary[]
}

/** A job with the number of its datasets and subscriptions instead of their references. */
export interface JobSummary {
  readonly id: string
  readonly datasets: number
  readonly subscriptions: number
  readonly attempts: number
  readonly enqueuedAt: Date
  readonly startedAt: Date | undefined
  readonly failedReason: string | undefined
}

const STATES = ['waiting', 'prioritized', 'active', 'delayed', 'failed'] as const

/** Jobs listed per state. A worker has 4 batches in flight by default, so all active ones of six workers fit. */
const MAX_LISTED = 25

/**
 * Reads counts and the first jobs of each state: active, waiting in processing order, and failed, newest first. The 25 jobs
 * per state bound the cost, however long the queue is.
 */
export async function readQueue(queue: JobsView): Promise<QueueSnapshot> {
  const list = async (states: (typeof STATES)[number][], oldestFirst: boolean) =>
    (await queue.getJobs(states, 0, MAX_LISTED - 1, oldestFirst)).slice(0, MAX_LISTED).map(summarise)
  const [counts, workers, active, waiting, prioritized, failed] = await Promise.all([
    queue.getJobCounts(...STATES),
    queue.getWorkersCount().catch(() => undefined), // a managed Redis may forbid CLIENT LIST
    list(['active'], true),
    list(['waiting'], true),
    list(['prioritized'], true),
    list(['failed'], false),
  ])
  return {
    counts: Object.fromEntries(STATES.map((state) => [state, counts[state] ?? 0])) as QueueSnapshot['counts'],
    workers,
    active,
    waiting: [...waiting, ...prioritized].slice(0, MAX_LISTED),
    failed,
  }
}

function summarise({
  id,
  data,
  attemptsMade,
  timestamp,
  processedOn,
  failedReason,
}: Job<BatchJob>): JobSummary {
  const datasets: BatchJob['datasets'] = data.datasets ?? [] // another application may have added the job
  return {
    id: String(id),
    datasets: datasets.length,
    subscriptions: new Set(datasets.map(([subscriptionId]) => subscriptionId)).size,
    attempts: attemptsMade,
    enqueuedAt: new Date(timestamp),
    startedAt: processedOn === undefined ? undefined : new Date(processedOn),
    failedReason,
  }
}
