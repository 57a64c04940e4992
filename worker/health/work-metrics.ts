import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { OnObjectRequest } from '../../db/object-store/object-store.ts'
import type { BatchOutcome } from '../batches/batch-context.ts'
import type { Progress } from './progress.ts'

/** Counts the work of this process: nothing but additions in memory. */
export interface WorkMetrics {
  /** Counts a job by its outcome and settles as the job does. */
  countJob(job: Promise<void>): Promise<void>
  countBatch(outcome: BatchOutcome): void
  /** Counts a dataset that was settled for the first time. @param ms milliseconds since its upload. */
  countSettled(ms: number): void
  /** Counts datasets that the relay enqueued again. */
  countRelayed(datasets: number): void
  /** Counts collections that their browsers abandoned. */
  countAbandoned(closed: { readonly datasets: number; readonly erased: number }): void
  countObjectRequest: OnObjectRequest
  /** Counts an attempt to deliver an event to a webhook. */
  countDelivery(outcome: 'delivered' | 'failed'): void
}

/** Adds the metrics of the work of this process. */
export function openWorkMetrics(registry: Registry, progress: Pick<Progress, 'findStuck'>): WorkMetrics {
  const registers = [registry]
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
  const settledSeconds = new Histogram({
    name: 'inkling_dataset_settled_seconds',
    help: 'Seconds from the upload of a dataset until it was settled for the first time: ready or invalid',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 900, 3_600],
    registers,
  })
  const relayed = new Counter({
    name: 'inkling_relay_datasets_total',
    help: 'Datasets that the relay enqueued again, because they exceeded their enqueue timeout',
    registers,
  })
  const abandoned = new Counter({
    name: 'inkling_collections_abandoned_total',
    help: 'Collections that no browser completed, by outcome: dataset or erased (nobody claimed them, or they were empty)',
    labelNames: ['outcome'],
    registers,
  })
  const objectSeconds = new Histogram({
    name: 'inkling_capture_store_seconds',
    help: 'Seconds of requests to object storage with their retries, by operation (write, read, remove, list or check) and outcome (done or failed)',
    labelNames: ['operation', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })
  const deliveries = new Counter({
    name: 'inkling_webhook_attempts_total',
    help: 'Attempts to deliver events to webhooks by outcome: delivered or failed (they are repeated for three days)',
    labelNames: ['outcome'],
    registers,
  })
  new Gauge({
    name: 'inkling_worker_stuck',
    help: '1 while this process makes no progress on waiting work or on a job in flight, otherwise 0',
    registers,
    collect() {
      this.set(progress.findStuck() ? 1 : 0)
    },
  })
  // from the start, so that the first one is an increase
  for (const outcome of ['done', 'failed']) jobs.inc({ outcome }, 0)
  for (const outcome of ['ready', 'invalid', 'failed']) datasets.inc({ outcome }, 0)
  for (const outcome of ['dataset', 'erased']) abandoned.inc({ outcome }, 0)
  for (const outcome of ['delivered', 'failed']) deliveries.inc({ outcome }, 0)

  return {
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
    countSettled: (ms) => settledSeconds.observe(ms / 1_000),
    countRelayed: (count) => relayed.inc(count),
    countAbandoned({ datasets: made, erased }) {
      abandoned.inc({ outcome: 'dataset' }, made)
      abandoned.inc({ outcome: 'erased' }, erased)
    },
  }
}
