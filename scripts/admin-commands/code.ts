import { UsageError } from '../cli/user-error.ts'

/** Validates the code of a scorecard or fragment. @throws UsageError for characters that would have to be escaped in a URL. */
export function requireCode(code: string): string {
  if (!/^[\w.-]{1,100}$/.test(code))
    throw new UsageError(`The code ${JSON.stringify(code)} must be 1 to 100 letters, digits, or _ . -`)
  return code
}
