import { keepPreviousData, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { queries } from '../../client/api.ts'
import { withVersion } from '../../client/with-version.ts'
import type { Dataset, Explanation } from './insight-types.ts'

/** Version of the read that starts while a dataset is processed for the first time. */
const FIRST = 'first'

/**
 * Loads the insight of a dataset with its explanation, in one read per version of the insight.
 *
 * Each read is recorded in the dataset's activity, so there are no reads on focus or by interval. The first read of a waiting
 * dataset moves it to the front of the queue and returns when it is processed, so its response also counts as the first version.
 */
export function useExplanation(referenceNumber: string, { status, settledAt }: Dataset) {
  const client = useQueryClient()
  const options = queries.queryOptions('get', '/api/insights/v1/{referenceNumber}/explanation', {
    params: { path: { referenceNumber }, query: { insight: 'true' } },
  })
  const versioned = (version: unknown) => withVersion(options, version)
  const firstKey: QueryKey = versioned(FIRST).queryKey
  const read = options.queryFn as (context: { queryKey: QueryKey }) => Promise<Explanation>

  /** Takes the response of the first read; undefined if there was none or it timed out. */
  async function takeFirst(): Promise<Explanation | undefined> {
    const first = client.getQueryCache().find<Explanation>({ queryKey: firstKey })
    const explanation = await first?.promise?.catch(() => undefined)
    if (first) client.getQueryCache().remove(first)
    return explanation
  }

  return useQuery({
    ...versioned(status === 'received' ? FIRST : settledAt),
    // without its signal, so that the first read continues when the version changes
    queryFn: async ({ queryKey }) =>
      (status === 'received' ? undefined : await takeFirst()) ?? read({ queryKey }),
    enabled: status === 'received' || status === 'ready',
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}
