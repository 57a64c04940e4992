import type { Finding } from '../../db/checks/finding.ts'
import type { Installation } from './installation.ts'

/** A check of one part of an installation. */
export interface Check {
  /** In the result, such as `connections`. */
  readonly name: string
  /** Reads and judges. Changes nothing that stays. @throws Skipped if it does not apply, or cannot see what it needs. */
  run(installation: Installation): Promise<Outcome>
}

/** The result of a check. */
export interface Outcome {
  /** What was read, in a few words. Has no secrets. */
  readonly saw: string
  /** Empty if all is well. */
  readonly findings: readonly Finding[]
}
