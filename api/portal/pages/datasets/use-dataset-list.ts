import {
  type InfiniteData,
  keepPreviousData,
  type QueryFunctionContext,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { api } from '../../client/api.ts'
import { type DatasetFilters, type DatasetItem, type DatasetList, queryOf } from './dataset-query.ts'
import { findDatasetItem } from './find-dataset-item.ts'

/** Datasets of a page, and of a step of the list. */
const STEP = 50

/** Pages loaded automatically in one step, of up to 10,000 searched datasets each, while few match. */
const MAX_PAGES_PER_STEP = 60

/** Interval of updates: short while a dataset is being processed. */
const UPDATE_MS = { busy: 1_500, idle: 5_000 }

/** Waiting datasets below the first page that are polled one by one. */
const MAX_POLLED = 10

/** New datasets are inserted without asking while the top of the list is visible. */
const NEAR_TOP_PX = 80

type Pages = InfiniteData<DatasetList>

/** New datasets that the list does not show yet, and the first page that has them. */
interface NewDatasets {
  readonly items: readonly DatasetItem[]
  readonly firstPage: DatasetList
}

/**
 * The datasets of a search, updated while the page is open. Loads pages until a step is full; `loadMore` begins the next step.
 *
 * @param isNewestFirst whether new datasets belong at the top. Otherwise showing them restarts the list.
 */
export function useDatasetList(search: DatasetFilters, isNewestFirst: boolean) {
  const client = useQueryClient()
  const key = useMemo(() => ['datasets', search] as const, [search])
  const liveKey = ['datasets-live', search] as const
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => loadPage(search, signal, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    refetchOnWindowFocus: false, // updated below
  })
  const { data, hasNextPage, isFetching, isPlaceholderData, error, fetchNextPage } = query
  const items = useMemo(() => itemsOf(data), [data])
  const pages = data?.pages.length ?? 0

  // the current step: the number of pages at its start, and of datasets at its end
  const [step, setStep] = useState({ key, fromPage: 0, wanted: STEP })
  const current = step.key === key ? step : { key, fromPage: 0, wanted: Math.max(STEP, items.length) }
  const continues =
    !!hasNextPage &&
    !isPlaceholderData &&
    !error &&
    items.length < current.wanted &&
    pages - current.fromPage < MAX_PAGES_PER_STEP
  useEffect(() => {
    if (continues && !isFetching) void fetchNextPage()
  }, [continues, isFetching, fetchNextPage])

  const loadMore = useCallback(
    () => setStep({ key, fromPage: pages, wanted: items.length + STEP }),
    [key, pages, items.length],
  )
  const stop = useCallback(() => setStep({ key, fromPage: pages, wanted: 0 }), [key, pages])

  const insert = ({ items: added, firstPage }: NewDatasets) =>
    client.setQueryData<Pages>(key, (before) =>
      before && isNewestFirst && added.length < STEP
        ? withItemsOnTop(before, added)
        : { pages: [firstPage], pageParams: [undefined] },
    )

  async function update({ signal }: QueryFunctionContext): Promise<NewDatasets> {
    const firstPage = await loadPage(search, signal)
    const inFirstPage = new Set(firstPage.items.map(({ referenceNumber }) => referenceNumber))
    const waiting = itemsOf(client.getQueryData<Pages>(key)).filter(
      (item) => item.waiting && !inFirstPage.has(item.referenceNumber),
    )
    const polled = await Promise.all(
      waiting.slice(0, MAX_POLLED).map(({ referenceNumber }) => findDatasetItem(referenceNumber, signal)),
    )
    const latest = new Map(
      [...firstPage.items, ...polled.filter((item) => item !== undefined)].map((item) => [
        item.referenceNumber,
        item,
      ]),
    )
    const list = client.setQueryData<Pages>(key, (before) => before && withLatest(before, latest))
    const known = new Set(itemsOf(list).map(({ referenceNumber }) => referenceNumber))
    const added = {
      firstPage,
      items: firstPage.items.filter(({ referenceNumber }) => !known.has(referenceNumber)),
    }
    if (added.items.length === 0 || !isNewestFirst || window.scrollY >= NEAR_TOP_PX) return added
    insert(added)
    return { firstPage, items: [] }
  }

  const { data: added } = useQuery({
    queryKey: liveKey,
    queryFn: update,
    enabled: data !== undefined && !isPlaceholderData && !error,
    refetchInterval: items.some(({ waiting }) => waiting) ? UPDATE_MS.busy : UPDATE_MS.idle,
    retry: false,
    gcTime: 0,
  })
  const showNew = () => {
    if (!added) return
    insert(added)
    client.setQueryData<NewDatasets>(liveKey, { ...added, items: [] })
  }

  const last = data?.pages.at(-1)
  return {
    ...{ items, error, loadMore, stop, showNew },
    newCount: added?.items.length ?? 0,
    /** Whether there may be more new datasets than `newCount`. */
    hasManyNew: added?.items.length === STEP,
    searchedThrough: last?.searchedThrough ?? null,
    isLoading: query.isPending,
    isSearching: continues || query.isFetchingNextPage,
    isReplacing: isPlaceholderData,
    hasMore: !!hasNextPage,
    /** Whether the last page was full, so that the next one loads quickly. */
    isDense: (last?.items.length ?? 0) >= STEP,
    refetch: query.refetch,
  }
}

async function loadPage(search: DatasetFilters, signal: AbortSignal, cursor?: string): Promise<DatasetList> {
  const { data } = await api.POST('/api/datasets/v1/search', {
    body: { ...queryOf(search), ...(cursor !== undefined && { cursor }), limit: STEP },
    signal,
  })
  return data as DatasetList
}

/** The datasets of all pages; one that moved between pages is listed once. */
const itemsOf = (list: Pages | undefined): readonly DatasetItem[] => [
  ...new Map(
    list?.pages.flatMap(({ items }) => items.map((item) => [item.referenceNumber, item] as const)),
  ).values(),
]

const withItemsOnTop = (list: Pages, added: readonly DatasetItem[]): Pages => ({
  ...list,
  pages: list.pages.map((page, at) => (at === 0 ? { ...page, items: [...added, ...page.items] } : page)),
})

/** Replaces datasets with their latest versions. The query cache keeps the identity of unchanged ones. */
const withLatest = (list: Pages, latest: ReadonlyMap<string, DatasetItem>): Pages => ({
  ...list,
  pages: list.pages.map((page) =>
    page.items.some(({ referenceNumber }) => latest.has(referenceNumber))
      ? { ...page, items: page.items.map((item) => latest.get(item.referenceNumber) ?? item) }
      : page,
  ),
})
