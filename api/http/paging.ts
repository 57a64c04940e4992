import { z } from 'zod'

const MAX_LIMIT = 200

/** Query parameters of a paged list. */
export const paging = {
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'next of the previous page; omit for the first page', examples: ['live-41'] }),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(50).meta({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    description: 'Maximum number of items per page',
  }),
}

/** Cursor of the next page. */
export const NextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Cursor of the next page; null at the end', examples: [null] })

/** Schema of a page. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).meta({ description: 'Items of this page' }),
    next: NextCursor,
  })

/** Returns a page of up to `limit` items; `found` has one more item if there is a next page. */
export function presentPage<Item>(
  found: readonly Item[],
  limit: number,
  cursorOf: (last: Item) => string,
): { items: Item[]; next: string | null } {
  const items = found.slice(0, limit)
  const last = found.length > limit ? items.at(-1) : undefined
  return { items, next: last === undefined ? null : cursorOf(last) }
}
