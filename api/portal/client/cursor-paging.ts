/** How an infinite query reads a list of the API: from page to page, by the `next` that the page before tells. */
export const CURSOR_PAGING = {
  pageParamName: 'cursor',
  initialPageParam: null,
  getNextPageParam: ({ next }: { next: string | null }) => next ?? undefined,
} as const
