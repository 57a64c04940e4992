import { z } from 'zod'

/**
 * A schema of something that holds its like, which is asked only about values that nest no deeper than `most` objects and
 * lists: reading others would end the stack, here and wherever they are compiled.
 *
 * @param what for the message, in the plural.
 */
export function limitDepth<T>(schema: z.ZodType<T>, most: number, what: string): z.ZodType<T> {
  return z
    .unknown()
    .refine((value) => !isDeeper(value, most), {
      error: `${what} nest at most ${most} objects and lists deep`,
      abort: true, // else checks of the whole would go into it all the same
    })
    .pipe(schema)
}

/** Level by level, without recursion. */
function isDeeper(value: unknown, most: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    )
  }
  return false
}
