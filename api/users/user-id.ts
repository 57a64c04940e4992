import { Problem } from '../http/problem.ts'

/** The id of a user from a path. @throws Problem `not_found` for what is no id of anybody. */
export function parseUserId(value = ''): number {
  if (!/^\d{1,9}$/.test(value)) throw new Problem('not_found')
  return Number(value)
}
