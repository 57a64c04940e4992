import { z } from 'zod'
import { Problem } from './problem.ts'

/** Path parameter with a numeric id. */
export const idParam = (of: string, example: string) =>
  z.string().meta({ description: `Id of the ${of}, as in the list`, pattern: '^\\d+$', examples: [example] })

/** Returns the id of a user or key in a path. @throws Problem `not_found` for an invalid one. */
export function requireId(value = ''): number {
  if (!/^\d{1,9}$/.test(value)) throw new Problem('not_found')
  return Number(value)
}
