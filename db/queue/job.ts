import type { DatasetKey } from '../datasets/dataset-key.ts'

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
}

/** Returns the job of a batch. */
export const jobOf = (keys: readonly DatasetKey[]): BatchJob => ({
  datasets: keys.map(({ subscriptionId, id }) => [subscriptionId, id]),
})

/** Returns the datasets of a job. */
export const keysOf = ({ datasets }: BatchJob): DatasetKey[] =>
  datasets.map(([subscriptionId, id]) => ({ subscriptionId, id }))
