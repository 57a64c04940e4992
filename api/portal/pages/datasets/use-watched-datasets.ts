import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { api } from '../../client/api.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import { type DatasetFilters, type DatasetItem, type DatasetList, queryOf } from './dataset-query.ts'

/** How often it is asked what is new: soon while something is being processed. */
const PAUSE_MS = { busy: 1_500, idle: 5_000 }

/** Datasets further down that are asked for one by one while they wait. */
const MAX_WATCHED = 10

/**
 * Watches the head of a search, and those of its datasets that still wait to be processed.
 *
 * @param update is told what is known now of datasets.
 * @returns datasets of the head that the search does not have yet.
 */
export function useWatchedDatasets({
  search,
  items,
  enabled,
  update,
}: {
  search: DatasetFilters
  items: readonly DatasetItem[]
  enabled: boolean
  update: (fresh: readonly DatasetItem[]) => void
}): DatasetItem[] {
  const isWaiting = ({ waiting }: DatasetItem) => waiting
  const pause = items.some(isWaiting) ? PAUSE_MS.busy : PAUSE_MS.idle
  const head = useQuery({
    queryKey: ['datasets-head', search],
    queryFn: async ({ signal }) => {
      const { data } = await api.GET('/api/datasets/v1', {
        params: { query: { ...queryOf(search), limit: 50 } },
        signal,
      })
      return (data as DatasetList).items
    },
    enabled,
    refetchInterval: pause,
    retry: false,
    gcTime: 0,
  })

  const inHead = useMemo(() => new Set(head.data?.map(({ referenceNumber }) => referenceNumber)), [head.data])
  const waiting = items
    .filter((item) => item.waiting && !inHead.has(item.referenceNumber))
    .slice(0, MAX_WATCHED)
    .map(({ referenceNumber }) => referenceNumber)
  const single = useQuery({
    queryKey: ['datasets-waiting', waiting],
    queryFn: ({ signal }) => Promise.all(waiting.map((referenceNumber) => findItem(referenceNumber, signal))),
    enabled: enabled && head.data !== undefined && waiting.length > 0,
    refetchInterval: PAUSE_MS.busy,
    retry: false,
    gcTime: 0,
  })

  useEffect(() => {
    if (head.data) update(head.data)
  }, [head.data, update])
  useEffect(() => {
    if (single.data) update(single.data.filter((item) => item !== undefined))
  }, [single.data, update])

  return useMemo(() => {
    const known = new Set(items.map(({ referenceNumber }) => referenceNumber))
    return enabled ? (head.data ?? []).filter(({ referenceNumber }) => !known.has(referenceNumber)) : []
  }, [head.data, items, enabled])
}

/** One dataset as a list has it; undefined when there is none. */
async function findItem(referenceNumber: string, signal?: AbortSignal): Promise<DatasetItem | undefined> {
  try {
    const { data } = await api.GET('/api/datasets/v1/{referenceNumber}', {
      params: { path: { referenceNumber } },
      ...(signal && { signal }),
    })
    if (!data) return undefined
    const { additionalInfo, velocity, velocityNow, dataKept, ...item } = data
    return item
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return undefined
    throw error
  }
}

/** Whether there is a dataset of just this reference number. */
export const isDataset = async (referenceNumber: string): Promise<boolean> =>
  (await findItem(referenceNumber)) !== undefined
