import { z } from 'zod'

const MAX_LIMIT = 200

/** How many items a list answers at most, and where it goes on. */
export const paging = {
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'next of the answer before; none for the beginning' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .default(50)
    .meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'Items at most' }),
}

/** A part of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable().meta({ description: 'cursor of what comes next; null at the end' }),
  })

/** The part of a list that begins with what was found, of which there is more than `limit` where the list goes on. */
export function presentPage<Item>(
  found: readonly Item[],
  limit: number,
  cursorOf: (last: Item) => string,
): { items: Item[]; next: string | null } {
  const items = found.slice(0, limit)
  const last = found.length > limit ? items.at(-1) : undefined
  return { items, next: last === undefined ? null : cursorOf(last) }
}
