/**
 * The scale of a simulation. The day is a few minutes long. The times of autoscaling (the objective, pauses, thresholds) are shortened by less,
 * because a worker needs its seconds to start: the load changes faster than on a real day, which is harder for every rule.
 */
export const SCALE = 3

/** Shortens a time of autoscaling. */
export const scaled = (seconds: number): number => seconds / SCALE

/** Workers to choose from. */
export const WORKERS = { min: 1, max: 4 }

/**
 * Milliseconds that storing the insight of a dataset takes in addition, by a trigger that sleeps. So a worker settles the same number of datasets per second
 * on any machine, and four workers settle four times as many, as with a machine for each.
 */
export const DATASET_MS = 80

/** Datasets per second of a worker that takes one batch at a time, with what else a dataset takes. */
export const PER_WORKER = 11

/** Objective: this share of datasets is settled within these seconds. */
export const OBJECTIVE = { share: 0.99, seconds: 60 }

/** Seconds between two looks at the load. */
export const POLL_SECONDS = 15

/** Seconds for which fewer workers have to be enough before one is stopped, and between two that are stopped. */
export const SCALE_DOWN = { holdSeconds: 120, stepSeconds: 60 }
