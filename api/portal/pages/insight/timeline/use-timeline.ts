import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { queries } from '../../../client/api.ts'
import { withVersion } from '../../../client/with-version.ts'

/** Loads the activity of a dataset, again for each `version`. */
export const useTimeline = (referenceNumber: string, version: string) =>
  useQuery({
    ...withVersion(
      queries.queryOptions('get', '/api/datasets/v1/{referenceNumber}/timeline', {
        params: { path: { referenceNumber } },
      }),
      version,
    ),
    placeholderData: keepPreviousData,
  })
