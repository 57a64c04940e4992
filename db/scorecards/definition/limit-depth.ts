import { z } from 'zod'

/**
 * Limits a recursive schema to values that nest at most `max` objects and lists deep: deeper ones would overflow the stack, here
 * and where they are compiled.
 *
 * @param what the things that nest, in the plural, for the message.
 */
export function limitDepth<T>(schema: z.ZodType<T>, max: number, what: string): z.ZodType<T> {
  return z
    .unknown()
    .refine((value) => !isDeeper(value, max), {
      error: `${what} nest at most ${max} objects and lists deep`,
      abort: true, // otherwise checks of the whole would still read it
    })
    .pipe(schema)
}

/** Reads level by level, without recursion. */
function isDeeper(value: unknown, max: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > max) return true
    level = level.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    )
  }
  return false
}
