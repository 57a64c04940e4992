import { z } from 'zod'

/** Length in Unicode code points. */
const lengthOf = (value: string) => {
  let length = 0
  for (const _ of value) length++
  return length
}

/**
 * Text of so many Unicode code points that Postgres can hold: without NUL, and without halves of surrogate pairs,
 * which two different texts would lose on their way into UTF-8.
 */
export const text = (min: number, max: number) =>
  z
    .string()
    .refine((value) => value.length >= min, `must have at least ${min} character${min === 1 ? '' : 's'}`)
    .refine((value) => value.length <= max || lengthOf(value) <= max, `must have at most ${max} characters`)
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode, without halves of surrogate pairs')
    .meta({ minLength: min, maxLength: max })
