import { UsageError } from '../cli/user-error.ts'

/** A code for a scorecard or fragment: what clients read it by. @throws UsageError for what would be a nuisance in a URL. */
export function requireCode(code: string): string {
  if (!/^[\w.-]{1,100}$/.test(code))
    throw new UsageError(
      `The code ${JSON.stringify(code)} must be 1 to 100 letters, digits, and the marks _ . -`,
    )
  return code
}
