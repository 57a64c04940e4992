import { z } from 'zod'
import { Problem } from './problem.ts'

/** Describes the id in a path. */
export const idParam = (of: string, example: string) =>
  z
    .string()
    .meta({ description: `Id of the ${of}, as the list shows it`, pattern: '^\\d+$', examples: [example] })

/** The id in a path, of a user or a key. @throws Problem `not_found` for what is the id of nothing. */
export function requireId(value = ''): number {
  if (!/^\d{1,9}$/.test(value)) throw new Problem('not_found')
  return Number(value)
}
