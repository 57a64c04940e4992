import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { api } from '../../client/api.ts'
import { type DatasetFilters, type DatasetItem, type DatasetList, queryOf } from './dataset-query.ts'

/** Datasets that are shown more at a time. */
const STEP = 50

/** Pages that are fetched by themselves for one step, of 10,000 datasets each, while few are found. */
const MAX_PAGES_OF_STEP = 60

/** A search as far as it has come. It goes on by itself until a step is full; `more` begins the next one. */
export function useDatasetSearch(search: DatasetFilters) {
  const client = useQueryClient()
  const key = useMemo(() => ['datasets', search] as const, [search])
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => {
      const page = pageParam === undefined ? {} : { cursor: pageParam }
      const { data } = await api.GET('/api/datasets/v1', {
        params: { query: { ...queryOf(search), ...page, limit: STEP } },
        signal,
      })
      return data as DatasetList
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    refetchOnWindowFocus: false, // what is new or has changed is watched anyway
  })
  const { data, hasNextPage, isFetching, isPlaceholderData, error, fetchNextPage } = query
  const items = useMemo(() => unique(data?.pages.flatMap((page) => page.items) ?? []), [data])
  const pages = data?.pages.length ?? 0

  // the step under way: it began at so many pages, and wants so many datasets
  const [step, setStep] = useState({ key, fromPage: 0, wanted: STEP })
  const current = step.key === key ? step : { key, fromPage: 0, wanted: Math.max(STEP, items.length) }
  const goesOn =
    !!hasNextPage &&
    !isPlaceholderData &&
    !error &&
    items.length < current.wanted &&
    pages - current.fromPage < MAX_PAGES_OF_STEP
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage()
  }, [goesOn, isFetching, fetchNextPage])

  const more = useCallback(
    () => setStep({ key, fromPage: pages, wanted: items.length + STEP }),
    [key, pages, items.length],
  )
  const stop = useCallback(() => setStep({ key, fromPage: pages, wanted: 0 }), [key, pages])

  /** Puts what is newly known of datasets in the place of what was. */
  const update = useCallback(
    (fresh: readonly DatasetItem[]) => {
      const known = new Map(fresh.map((item) => [item.referenceNumber, item]))
      client.setQueryData<InfiniteData<DatasetList, string | undefined>>(key, (before) => {
        if (!before) return before
        const changed = before.pages.some((page) => page.items.some((item) => isChanged(item, known)))
        if (!changed) return before
        const pages = before.pages.map((page) => ({
          ...page,
          items: page.items.map((item) => known.get(item.referenceNumber) ?? item),
        }))
        return { ...before, pages }
      })
    },
    [client, key],
  )
  /** Puts newer datasets before all others. */
  const prepend = useCallback(
    (fresh: readonly DatasetItem[]) =>
      client.setQueryData<InfiniteData<DatasetList, string | undefined>>(key, (before) => {
        const [first, ...rest] = before?.pages ?? []
        if (!before || !first) return before
        return { ...before, pages: [{ ...first, items: [...fresh, ...first.items] }, ...rest] }
      }),
    [client, key],
  )
  const restart = useCallback(() => client.resetQueries({ queryKey: key, exact: true }), [client, key])

  const last = data?.pages.at(-1)
  const through = last?.searchedThrough ?? null
  return {
    ...{ items, error, through, goesOn, more, stop, update, prepend, restart },
    isLoading: query.isPending,
    isSearching: goesOn || (isFetching && !query.isPending && !isPlaceholderData && query.isFetchingNextPage),
    isReplacing: isPlaceholderData,
    hasMore: !!hasNextPage,
    /** The page before was full: what comes next is soon found. */
    isDense: (last?.items.length ?? 0) >= STEP,
    refetch: query.refetch,
  }
}

const isChanged = (item: DatasetItem, known: ReadonlyMap<string, DatasetItem>) => {
  const fresh = known.get(item.referenceNumber)
  return fresh !== undefined && JSON.stringify(fresh) !== JSON.stringify(item)
}

/** A dataset that two pages have, since it came first by itself, is shown once. */
function unique(items: readonly DatasetItem[]): DatasetItem[] {
  return [...new Map(items.map((item) => [item.referenceNumber, item])).values()]
}
