import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './api-problem.ts'

const MAX_RETRIES = 2

/** What is worth another try by itself: no answer, or one that says to come again. */
const isTransient = (error: unknown) =>
  !(error instanceof ApiProblem) || error.status === 0 || error.status >= 500

/** What is not tried again at once: the user waited long enough for a message, or has no network. */
const isReportedAtOnce = (error: unknown) =>
  error instanceof ApiProblem && (error.title === 'timed_out' || error.title === 'offline')

/** How often a list that could not be loaded is asked for again, until it comes. */
const RETRY_MS = 10_000

export const openQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, error) => count < MAX_RETRIES && isTransient(error) && !isReportedAtOnce(error),
        refetchInterval: ({ state: { status, error } }) =>
          status === 'error' && isTransient(error) ? RETRY_MS : false,
        // the default would wait without a word while the browser is offline
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { networkMode: 'always' },
    },
  })
