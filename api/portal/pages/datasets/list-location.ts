import { z } from 'zod'

/**
 * The address of the list with these filters. They are in its fragment, which browsers do not send: identifiers of clients stay out
 * of the logs of proxies.
 */
export const listAddress = (filters: Readonly<Record<string, string>>): string =>
  `/datasets#${new URLSearchParams(filters)}`

const ListLocation = z.object({ list: z.string() })

/** Router state for links to a dataset: the filters of the list, such as `#status=invalid`. */
export const listLocation = (search: string): z.infer<typeof ListLocation> => ({ list: search })

/** Reads the filters of the list from the router state of a page; empty if it was not opened from a list. */
export const readListSearch = (state: unknown): string => ListLocation.safeParse(state).data?.list ?? ''
