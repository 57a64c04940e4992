import type { CaptureSize } from '../captures/size.ts'
import type { BenchPlan } from './bench-plan.ts'
import type { CopyCeiling } from './ceilings/open-copy.ts'
import type { DecodeCeiling } from './ceilings/open-decode.ts'
import type { Load } from './load/open-load.ts'
import type { System } from './open-system.ts'
import type { Samples } from './samples.ts'

/** The context of all measures: plan, systems under test, and results. */
export interface Bench {
  readonly plan: BenchPlan
  readonly load: Load
  readonly systems: readonly [inkling: System, textbook: System]
  /** Port of the Koa ceiling. */
  readonly koaPort: number
  /** undefined if psql is not installed. */
  readonly copy: CopyCeiling | undefined
  readonly decode: DecodeCeiling
  /** Files of upload bodies. */
  readonly files: Readonly<Record<CaptureSize, string>>
  readonly samples: Samples
  /** Process id of the Postgres server. */
  readonly postmaster: number
  /** Prints a line of progress. */
  printProgress(text: string): void
}

/** Rotates the order by one each round, so that no system always follows the same one. */
export function rotate<T>(contenders: readonly T[], round: number): T[] {
  const first = round % contenders.length
  return [...contenders.slice(first), ...contenders.slice(0, first)]
}
