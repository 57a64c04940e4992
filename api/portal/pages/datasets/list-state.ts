import { z } from 'zod'

const ListState = z.object({ list: z.string() })

/** What the page of a dataset is to know of the list that led to it: its filters, as in `?status=invalid`. */
export const listState = (search: string): z.infer<typeof ListState> => ({ list: search })

/** The filters of the list that led to a page, by the state of its place in the history; empty where none did. */
export const searchOfList = (state: unknown): string => ListState.safeParse(state).data?.list ?? ''
