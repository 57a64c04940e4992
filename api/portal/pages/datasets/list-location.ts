import { z } from 'zod'

const ListLocation = z.object({ list: z.string() })

/** What the page of a dataset is to know of the list that led to it: its filters, as in `?status=invalid`. */
export const listLocation = (search: string): z.infer<typeof ListLocation> => ({ list: search })

/** The filters of the list that led to a page, by the state of its place in the history; empty where none did. */
export const readListSearch = (state: unknown): string => ListLocation.safeParse(state).data?.list ?? ''
