import createClient from 'openapi-fetch'
import createQueries from 'openapi-react-query'
import { ApiProblem, readProblem } from './api-problem.ts'
import { MODE_HEADERS } from './mode.ts'
import type { paths } from './openapi.d.ts'
import { PORTAL_HEADER } from './portal-header.ts'
import { fetchInSession } from './refresh-session.ts'

/** Client of the API, typed by its OpenAPI document. Throws an `ApiProblem` for every response outside 2xx. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  headers: { ...PORTAL_HEADER, ...MODE_HEADERS },
  fetch: fetchInSession,
})

api.use({
  async onResponse({ response }) {
    if (!response.ok) throw await readProblem(response)
    return undefined
  },
  onError: ({ error }) =>
    error instanceof ApiProblem ? error : new ApiProblem({ status: 0, ...describeError(error) }),
})

function describeError(error: unknown): { title: string; detail: string } {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return { title: 'timed_out', detail: 'The service did not respond in time. It may be busy; try again.' }
  if (!navigator.onLine) return { title: 'offline', detail: "You're offline. Check your connection." }
  return {
    title: 'unreachable',
    detail: 'The service cannot be reached. Check your connection and try again.',
  }
}

/** TanStack Query hooks of the API client: `queries.useQuery('get', '/features')`. */
export const queries = createQueries(api)
