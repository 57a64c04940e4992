import { queries } from '../../client/api.ts'
import type { Dataset } from './insight-types.ts'

/** Milliseconds between two looks: often at first, seldom when it takes long. */
const SOON_MS = 1_000
const LATER_MS = 5_000
const LOOKS_SOON = 30

/** Whether something is still to be done with it. */
export const isUnsettled = (dataset: Dataset): boolean => dataset.status === 'received' || dataset.waiting

/** What is known of a dataset, looked at again by itself until nothing is to be done with it. Looking is not recorded as a read. */
export function useDataset(referenceNumber: string) {
  return queries.useQuery(
    'get',
    '/api/datasets/v1/{referenceNumber}',
    { params: { path: { referenceNumber } } },
    {
      refetchInterval: ({ state: { data, dataUpdateCount } }) => {
        if (data === undefined || !isUnsettled(data)) return false
        return dataUpdateCount < LOOKS_SOON ? SOON_MS : LATER_MS
      },
    },
  )
}
