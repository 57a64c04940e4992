import type { JobsOptions } from 'bullmq'
import type { Logger } from 'pino'
import { logErrors } from '../runtime/log.ts'
import { SpanKind } from '../runtime/tracing/api.ts'
import { traced, tracesOf } from '../runtime/tracing/traced.ts'
import { type EnqueuedDataset, jobOf, MAX_BATCH_DATASETS, QUEUE_NAME } from './job.ts'
import { openQueue, type QueueLocation } from './open-queue.ts'

/**
 * Order in the queue: `urgent` goes before all other jobs; otherwise 0 to 1,000, lower numbers first. Jobs of one
 * number run in the order in which they were added.
 */
export type Priority = 'urgent' | number

/** Adds datasets to the queue. */
export interface QueueProducer {
  /**
   * Adds datasets to the queue, in jobs of up to 128. Once this resolves, all of them are in the queue.
   *
   * @param options.priority 0 by default.
   * @throws when the queue is unavailable: at once, or within 5 s a job. Jobs before the one that failed stay in the queue.
   */
  enqueue(datasets: readonly EnqueuedDataset[], options?: { priority?: Priority }): Promise<void>
  /**
   * As `enqueue`, but logs the error and leaves the datasets to the relay. It never throws, so that callers need not
   * wait for it.
   *
   * @returns whether all datasets are in the queue.
   */
  tryEnqueue(datasets: readonly EnqueuedDataset[], options?: { priority?: Priority }): Promise<boolean>
  /** @throws unless the queue accepts a write within 2 s: a full Redis answers PING while it rejects jobs. */
  check(): Promise<void>
  /**
   * Returns whether the queue has lost its jobs since the last call of any process: Redis was wiped or replaced, or came
   * back without its data.
   *
   * @throws as `check`.
   */
  hasLostJobs(): Promise<boolean>
  /**
   * Returns the number of jobs that no worker has in flight, including those to be retried.
   *
   * @throws as `check`.
   */
  countWaiting(): Promise<number>
  /** Waits for jobs that are being added; returns within about 1 s even when the queue is unavailable. */
  close(): Promise<void>
}

const ENQUEUE_MS = 5_000

/** @see https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ */
const SENDING = {
  kind: SpanKind.PRODUCER,
  attributes: {
    'messaging.system': 'bullmq',
    'messaging.operation.type': 'send',
    'messaging.destination.name': QUEUE_NAME,
  },
}
const CHECK_MS = 2_000
/** Connections to Postgres at most, where it has the queue. */
export const PRODUCER_CONNECTIONS = 4

/** Opens a producer, which reconnects by itself. `log` gets one entry for each outage and one a minute for failed jobs. */
export function openProducer(location: QueueLocation, log?: Logger): QueueProducer {
  const onError = log ? logErrors(log, 'queue connection') : () => undefined
  const onEnqueueError = log ? logErrors(log, 'could not enqueue; the relay will') : () => undefined
  const queue = openQueue(location, { maxConnections: PRODUCER_CONNECTIONS, onError, onWarning: onError })
  const pending = new Set<Promise<void>>()

  async function addJobs(datasets: readonly EnqueuedDataset[], order: JobsOptions): Promise<void> {
    for (let at = 0; at < datasets.length; at += MAX_BATCH_DATASETS) {
      const batch = datasets.slice(at, at + MAX_BATCH_DATASETS)
      await traced(
        `send ${QUEUE_NAME}`,
        tracesOf(batch),
        (spans) => {
          const job = jobOf(batch, spans)
          return queue.request(ENQUEUE_MS, (opened) => opened.add(job, order))
        },
        SENDING,
      )
    }
  }

  const enqueue: QueueProducer['enqueue'] = async (datasets, { priority = 0 } = {}) => {
    // jobs without a priority, which is 0, go before all that have one; LIFO puts a job at their head
    const adding = addJobs(datasets, priority === 'urgent' ? { lifo: true } : { priority })
    pending.add(adding)
    try {
      await adding
    } finally {
      pending.delete(adding)
    }
  }

  return {
    enqueue,
    tryEnqueue: (datasets, options) =>
      enqueue(datasets, options).then(
        () => true,
        (error) => {
          onEnqueueError(error)
          return false
        },
      ),
    check: async () => void (await queue.request(CHECK_MS, (opened) => opened.probe())),
    hasLostJobs: () => queue.request(CHECK_MS, (opened) => opened.hasLostJobs()),
    countWaiting: () =>
      queue.request(CHECK_MS, async ({ jobs }) => {
        const counts = await jobs.getJobCounts('wait', 'prioritized', 'delayed')
        return Object.values(counts).reduce((sum, count) => sum + count, 0)
      }),
    close: () => queue.close(pending),
  }
}
