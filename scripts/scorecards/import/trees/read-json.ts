import { UserError } from '../../../cli/user-error.ts'

/**
 * JSON as XGBoost and Python write it: with the bare words NaN and Infinity, which become null.
 *
 * @throws UserError that says where it is no JSON.
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
