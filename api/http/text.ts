import { z } from 'zod'

/** Length in Unicode code points. */
const lengthOf = (value: string) => {
  let length = 0
  for (const _ of value) length++
  return length
}

/**
 * Text of `min` to `max` Unicode code points that Postgres can store: without NUL and without lone surrogates, which UTF-8
 * would replace, so that two different texts become equal.
 */
export const text = (min: number, max: number) =>
  z
    .string()
    .refine((value) => value.length >= min, `must have at least ${min} character${min === 1 ? '' : 's'}`)
    .refine((value) => value.length <= max || lengthOf(value) <= max, `must have at most ${max} characters`)
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode without lone surrogates')
    .meta({ minLength: min, maxLength: max })
