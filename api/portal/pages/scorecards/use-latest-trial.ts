import { queries } from '../../client/api.ts'
import type { Trial } from './scorecard-types.ts'

const POLL_MS = 1_000

export const isRunning = (trial: Trial | undefined): boolean =>
  trial?.state === 'waiting' || trial?.state === 'running'

/** Loads the latest trial of a version, the backtest of the pages, and polls it until it ends. */
export function useLatestTrial(code: string, version: string) {
  const query = queries.useQuery(
    'get',
    '/api/scorecards/v1/{code}/trials',
    { params: { path: { code }, query: { version } } },
    { refetchInterval: ({ state }) => (isRunning(state.data?.items[0]) ? POLL_MS : false) },
  )
  return { ...query, trial: query.data?.items[0] }
}
