import type { Finding, Level } from '../../db/checks/finding.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'
import type { Check } from './check.ts'
import { describeError } from './describe-error.ts'
import type { Installation } from './installation.ts'
import { Skipped } from './skipped.ts'

/** Time for one check. */
const CHECK_MS = 15_000

/** The result of a check, as it is printed. */
export interface CheckResult {
  readonly check: string
  /** The most serious level of its findings; `ok` without findings, `skipped` if it did not apply. */
  readonly status: 'ok' | 'skipped' | Level
  /** What was read, or why it was skipped. */
  readonly saw: string
  readonly findings: readonly Finding[]
}

/** Runs all checks at once, each for at most 15 s. An unexpected error of a check is a warning. */
export function runChecks(checks: readonly Check[], installation: Installation): Promise<CheckResult[]> {
  return Promise.all(checks.map((check) => runCheck(check, installation)))
}

async function runCheck({ name, run }: Check, installation: Installation): Promise<CheckResult> {
  try {
    const { saw, findings } = await withTimeout(CHECK_MS, 'The check', run(installation))
    const status = LEVELS.find((level) => findings.some((finding) => finding.level === level)) ?? 'ok'
    return { check: name, status, saw, findings }
  } catch (error) {
    if (error instanceof Skipped) return { check: name, status: 'skipped', saw: error.message, findings: [] }
    const message = `Could not be checked: ${describeError(error)}`
    return { check: name, status: 'warning', saw: 'nothing', findings: [{ level: 'warning', message }] }
  }
}

const LEVELS: readonly Level[] = ['error', 'warning', 'note']
