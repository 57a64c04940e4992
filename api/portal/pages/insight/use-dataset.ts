import { queries } from '../../client/api.ts'
import type { Dataset } from './insight-types.ts'

/** Milliseconds between two looks: often at first, seldom when it takes long. */
const FAST_POLL_MS = 1_000
const SLOW_POLL_MS = 5_000
const FAST_POLLS = 30

/** Whether something is still to be done with it. */
export const isProcessing = (dataset: Dataset): boolean => dataset.status === 'received' || dataset.waiting

/** What is known of a dataset, looked at again by itself until nothing is to be done with it. Looking is not recorded as a read. */
export function useDataset(referenceNumber: string) {
  return queries.useQuery(
    'get',
    '/api/datasets/v1/{referenceNumber}',
    { params: { path: { referenceNumber } } },
    {
      refetchInterval: ({ state: { data, dataUpdateCount } }) => {
        if (data === undefined || !isProcessing(data)) return false
        return dataUpdateCount < FAST_POLLS ? FAST_POLL_MS : SLOW_POLL_MS
      },
    },
  )
}
