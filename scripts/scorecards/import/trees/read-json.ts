import { UserError } from '../../../cli/user-error.ts'

/**
 * Parses JSON as written by XGBoost and Python: the bare words NaN and Infinity become null.
 *
 * @throws UserError with the position of the syntax error.
 */
export function readJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const words = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g
    try {
      return JSON.parse(text.replace(words, (found) => (found.startsWith('"') ? found : 'null')))
    } catch {
      throw new UserError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`)
    }
  }
}
