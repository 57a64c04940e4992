/** Extent of a run with `--growth`. */
export interface GrowthPlan {
  /** Numbers of datasets, ascending; each is filled into a new database. */
  readonly sizes: readonly number[]
  /** Generated captures whose rows are multiplied. */
  readonly templates: number
  /** Typical captures that are uploaded, in a cycle. */
  readonly bodies: number
  /** Rounds of uploads, drains and reads. */
  readonly rounds: number
  readonly uploads: number
  readonly reads: number
  /** Requests before each measurement, which are not measured. */
  readonly warmUps: number
  /** Calls of each search and of the timeline. */
  readonly calls: number
  /** Calls of each pass of maintenance that finds nothing to do, of the relay and of `release`. */
  readonly passes: number
  /** Datasets, reads and sightings whose retention is over; a tenth of the datasets at most. */
  readonly due: number
}

export const GROWTH_PLAN: Omit<GrowthPlan, 'sizes'> = {
  ...{ templates: 400, bodies: 400, rounds: 3, uploads: 1_500, reads: 4_000, warmUps: 300 },
  ...{ calls: 100, passes: 20, due: 2_000 },
}

export const QUICK_GROWTH_PLAN: Omit<GrowthPlan, 'sizes'> = {
  ...{ templates: 60, bodies: 60, rounds: 1, uploads: 128, reads: 256, warmUps: 32 },
  ...{ calls: 10, passes: 3, due: 200 },
}

export const GROWTH_SIZES: readonly number[] = [100_000, 300_000, 1_000_000]
