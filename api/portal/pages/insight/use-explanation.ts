import { useEffect, useRef } from 'react'
import { queries } from '../../client/api.ts'
import type { Dataset } from './insight-types.ts'

/**
 * The insight of a dataset and its explanation, in one read.
 *
 * Each call is recorded in the dataset's timeline as a read, so one is made when the page opens, and one more only when there
 * is something new: never by a clock, nor when the window gets the focus. The first one moves a dataset that waits to the
 * front of the queue.
 *
 * @param dataset undefined until it is known.
 */
export function useExplanation(referenceNumber: string, dataset: Dataset | undefined) {
  const query = queries.useQuery(
    'get',
    '/api/insights/v1/{referenceNumber}/explanation',
    { params: { path: { referenceNumber }, query: { insight: 'true' } } },
    {
      enabled: dataset?.status === 'received' || dataset?.status === 'ready',
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    },
  )
  const stage = dataset && stageOf(dataset)
  const settledAt = dataset?.settledAt
  const { isError, refetch } = query
  const hasData = query.data !== undefined
  const before = useRef({ stage, settledAt, hadData: hasData })
  useEffect(() => {
    const was = before.current
    if (was.stage === stage && was.settledAt === settledAt) return
    before.current = { stage, settledAt, hadData: hasData }
    if (stage !== 'settled' || was.stage === undefined || was.stage === 'none') return
    // the call that was made while it waited for the first time answers by itself, unless it gave up
    if (was.stage !== 'first' || isError || was.hadData) void refetch()
  }, [stage, settledAt, hasData, isError, refetch])
  return query
}

/** Whether a dataset is processed for the first time or again, settled with an insight, or has none. */
function stageOf({ status, waiting }: Dataset): 'first' | 'again' | 'settled' | 'none' {
  if (status === 'received') return 'first'
  if (status !== 'ready') return 'none'
  return waiting ? 'again' : 'settled'
}
