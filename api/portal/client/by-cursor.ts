/** How an infinite query reads a list of the API: from page to page, by the `next` that the page before tells. */
export const BY_CURSOR = {
  pageParamName: 'cursor',
  initialPageParam: null,
  getNextPageParam: ({ next }: { next: string | null }) => next ?? undefined,
} as const
