/** Options of infinite queries: each page's `next` is the cursor of the following page. */
export const CURSOR_PAGING = {
  pageParamName: 'cursor',
  initialPageParam: null,
  getNextPageParam: ({ next }: { next: string | null }) => next ?? undefined,
} as const
