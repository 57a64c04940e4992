import { z } from 'zod'

const MAX_LIMIT = 200

/** How many items a list answers at most, and where it goes on. */
export const paging = {
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'next of the answer before; none for the beginning', examples: ['live-41'] }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .default(50)
    .meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'Items at most' }),
}

/** Where a list continues. */
export const NextCursor = z
  .string()
  .nullable()
  .meta({ description: 'cursor of the next page; null at the end', examples: [null] })

/** A part of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).meta({ description: 'Items of this page' }),
    next: NextCursor,
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
