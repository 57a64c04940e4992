import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './api-problem.ts'

const MAX_RETRIES = 2

/** What is worth another try by itself: no answer, or one that says to come again. */
const isPassing = (error: unknown) =>
  !(error instanceof ApiProblem) || error.status === 0 || error.status >= 500

export const openQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (count, error) => count < MAX_RETRIES && isPassing(error) },
    },
  })
