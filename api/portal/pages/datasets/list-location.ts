import { z } from 'zod'

const ListLocation = z.object({ list: z.string() })

/** Router state for links to a dataset: the filters of the list, such as `?status=invalid`. */
export const listLocation = (search: string): z.infer<typeof ListLocation> => ({ list: search })

/** Reads the filters of the list from the router state of a page; empty if it was not opened from a list. */
export const readListSearch = (state: unknown): string => ListLocation.safeParse(state).data?.list ?? ''
