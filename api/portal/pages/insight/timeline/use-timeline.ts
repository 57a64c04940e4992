import { useEffect } from 'react'
import { queries } from '../../../client/api.ts'

/** What happened to a dataset; asked for again when `change` does. */
export function useTimeline(referenceNumber: string, change: string) {
  const query = queries.useQuery('get', '/api/datasets/v1/{referenceNumber}/timeline', {
    params: { path: { referenceNumber } },
  })
  const { refetch } = query
  useEffect(() => {
    if (change) void refetch()
  }, [change, refetch])
  return query
}
