import type { DatasetKey } from '../datasets/dataset-key.ts'
import type { Traceable, Traces } from '../runtime/tracing/traced.ts'
import { parseTraceparent, traceparentOf } from '../runtime/tracing/traceparent.ts'

/** A dataset of a job, and the sampled request that enqueued it. */
export type EnqueuedDataset = DatasetKey & Traceable

/** The only queue. Each job is a batch of datasets. */
export const QUEUE_NAME = 'datasets'

/** Name of every job. Workers ignore it: jobs of earlier releases are named `group`. */
export const JOB_NAME = 'batch'

/** Datasets in a batch: committed together at most, and carried by one job. */
export const MAX_BATCH_DATASETS = 128

/**
 * Payload of a job: references only, as pairs `[subscriptionId, id]`. The rows in Postgres are the source of truth, so
 * a job may be lost or delivered twice without harm.
 */
export interface BatchJob {
  readonly datasets: readonly (readonly [subscriptionId: number, id: number])[]
  /** Sampled traces, by the place of their dataset. Workers of earlier versions ignore it. */
  readonly traces?: readonly (readonly [at: number, traceparent: string])[]
}

/** Returns the job of a batch. @param spans that add it to the queue, of the sampled datasets in their order. */
export function jobOf(datasets: readonly EnqueuedDataset[], spans: Traces = []): BatchJob {
  const pairs = datasets.map(({ subscriptionId, id }) => [subscriptionId, id] as const)
  if (spans.length === 0) return { datasets: pairs }
  const traced = [...datasets.keys()].filter((at) => datasets[at]?.trace)
  return { datasets: pairs, traces: spans.map((span, at) => [traced[at] ?? 0, traceparentOf(span)]) }
}

/** Returns the datasets of a job. */
export function datasetsOf({ datasets, traces = [] }: BatchJob): EnqueuedDataset[] {
  const keys: EnqueuedDataset[] = datasets.map(([subscriptionId, id]) => ({ subscriptionId, id }))
  for (const [at, traceparent] of traces) {
    const key = keys[at]
    if (key) keys[at] = { ...key, trace: parseTraceparent(traceparent) }
  }
  return keys
}
