import type { ScorePlan } from './measure-score.ts'

/** Extent of a run. */
export interface BenchPlan {
  /** After this time optional measurements are skipped: rounds after the first, and those that no summary needs. */
  readonly enoughAfterMs: number
  /** Rounds of the four main measures; every contender runs once per round. */
  readonly rounds: number
  /** Rounds of all other measures. */
  readonly extraRounds: number
  /** Number of generated uploads, which are sent repeatedly with new reference numbers. */
  readonly bodies: { readonly small: number; readonly typical: number; readonly large: number }
  readonly warmUpMs: number
  readonly warmUpDatasets: number
  readonly acceptMs: number
  readonly copyRows: number
  /** Datasets per worker process. */
  readonly drainDatasets: number
  readonly readMs: number
  /** Reads with a new token each. */
  readonly uncachedReads: number
  readonly absorbDatasets: number
  readonly idleUploads: number
  /** Accept rows besides typical captures on 64 connections. */
  readonly rows: readonly {
    readonly size: 'small' | 'typical' | 'large'
    readonly connections: number
    readonly ms: number
  }[]
  readonly floodMs: number
  /** Browsers that send a segment every 5 s, and for how long; none measures no collections. */
  readonly collect: { readonly browsers: number; readonly ms: number }
  /** Pairs of runs with and without limits. */
  readonly limitPairs: number
  /** Pairs of drains without and with a webhook, and their datasets. */
  readonly deliverPairs: number
  readonly deliverDatasets: number
  /** Offered loads as multiples of the maximum accepted rate; if empty, no chart is drawn. */
  readonly offered: readonly number[]
  readonly offeredMs: number
  /** Plan of the scoring measure. */
  readonly score: ScorePlan
}

export const FULL_PLAN: BenchPlan = {
  enoughAfterMs: Number.POSITIVE_INFINITY,
  rounds: 3,
  extraRounds: 2,
  bodies: { small: 1_000, typical: 2_000, large: 60 },
  warmUpMs: 2_000,
  warmUpDatasets: 500,
  acceptMs: 3_000,
  copyRows: 4_000,
  drainDatasets: 1_500,
  readMs: 2_000,
  uncachedReads: 2_000,
  absorbDatasets: 5_000,
  idleUploads: 200,
  rows: [
    { size: 'typical', connections: 1, ms: 2_000 },
    { size: 'typical', connections: 16, ms: 2_000 },
    { size: 'typical', connections: 256, ms: 3_000 },
    { size: 'small', connections: 64, ms: 2_000 },
    { size: 'large', connections: 64, ms: 3_000 },
    { size: 'large', connections: 256, ms: 4_000 },
  ],
  floodMs: 4_000,
  collect: { browsers: 2_000, ms: 20_000 },
  limitPairs: 6,
  deliverPairs: 4,
  deliverDatasets: 3_000,
  offered: [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4],
  offeredMs: 3_000,
  score: { ms: 1_000, rounds: 5 },
}

/** Ends within 50 s, including the generation of uploads. */
export const QUICK_PLAN: BenchPlan = {
  enoughAfterMs: 30_000,
  rounds: 2,
  extraRounds: 1,
  bodies: { small: 0, typical: 400, large: 0 },
  warmUpMs: 700,
  warmUpDatasets: 100,
  acceptMs: 700,
  copyRows: 1_000,
  drainDatasets: 200,
  readMs: 500,
  uncachedReads: 250,
  absorbDatasets: 400,
  idleUploads: 30,
  rows: [{ size: 'typical', connections: 256, ms: 1_000 }],
  floodMs: 0,
  collect: { browsers: 0, ms: 0 },
  limitPairs: 6,
  deliverPairs: 1,
  deliverDatasets: 400,
  offered: [],
  offeredMs: 0,
  score: { ms: 200, rounds: 1 },
}
