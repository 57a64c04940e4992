import { queries } from '../../client/api.ts'
import type { Dataset } from './insight-types.ts'

/** Polling intervals: short at first, longer after `FAST_POLLS`. */
const FAST_POLL_MS = 1_000
const SLOW_POLL_MS = 5_000
const FAST_POLLS = 30

/** Whether the dataset waits for processing, for the first time or again. */
export const isProcessing = (dataset: Dataset): boolean => dataset.status === 'received' || dataset.waiting

/** Loads a dataset and polls it while it is processed. These requests are not recorded as reads. */
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
