import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './api-problem.ts'

const MAX_RETRIES = 2

/** Errors that are retried: no response, or a server error. */
const isTransient = (error: unknown) =>
  !(error instanceof ApiProblem) || error.status === 0 || error.status >= 500

/** Errors that are shown before the next retry: the user has already waited for the timeout, or has no network. */
const isReportedAtOnce = (error: unknown) =>
  error instanceof ApiProblem && (error.title === 'timed_out' || error.title === 'offline')

/** Interval at which a failed query is repeated until it succeeds. */
const RETRY_MS = 10_000

export const openQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, error) => count < MAX_RETRIES && isTransient(error) && !isReportedAtOnce(error),
        refetchInterval: ({ state: { status, error } }) =>
          status === 'error' && isTransient(error) ? RETRY_MS : false,
        // the default would pause silently while the browser is offline
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { networkMode: 'always' },
    },
  })
