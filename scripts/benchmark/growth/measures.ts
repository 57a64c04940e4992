import type { Samples } from '../samples.ts'
import { SEARCH_NAMES } from './measure-statements.ts'

/** A measured operation, and the piece that its costs are of. */
export interface GrowthMeasure {
  readonly name: string
  readonly per: 'upload' | 'dataset' | 'read' | 'page' | 'call' | 'pass'
}

/** All measures, in the order of the report. */
export const GROWTH_MEASURES: readonly GrowthMeasure[] = [
  { name: 'accept', per: 'upload' },
  { name: 'drain', per: 'dataset' },
  { name: 'drain: frequent device', per: 'dataset' },
  { name: 'read', per: 'read' },
  ...SEARCH_NAMES.map((name) => ({ name, per: 'page' }) as const),
  { name: 'timeline', per: 'call' },
  { name: 'age of the queue', per: 'call' },
  ...['relay', 'retention', 'pruning'].flatMap(
    (name) =>
      [
        { name, per: 'pass' },
        { name: `${name}: nothing due`, per: 'pass' },
      ] as const,
  ),
  { name: 'release', per: 'call' },
]

/** What a piece costs at one size; NaN if not measured. */
export interface Cost {
  /** Processor time of web, worker and Postgres in microseconds; 0 for one that is not involved. */
  readonly webUs: number
  readonly workerUs: number
  readonly postgresUs: number
  readonly pages: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Returns the cost of a measure, the median of its rounds. */
export function costOf(samples: Samples, name: string): Cost {
  const median = (metric: string) => samples.median(`${name}: ${metric}`)
  const orNone = (metric: string) => (samples.of(`${name}: ${metric}`).length > 0 ? median(metric) : 0)
  return {
    ...{ webUs: orNone('webUs'), workerUs: orNone('workerUs'), postgresUs: median('postgresUs') },
    ...{ pages: median('pages'), p50Ms: median('p50Ms'), p99Ms: median('p99Ms') },
  }
}

export const processorUs = ({ webUs, workerUs, postgresUs }: Cost): number => webUs + workerUs + postgresUs
