import { expect } from 'vitest'
import { describeEndpoints } from '../../api/docs/openapi.ts'
import { listEndpoints, type Stores } from '../../api/endpoints.ts'
import type { Endpoint } from '../../api/http/endpoint.ts'
import { ProblemDetails } from '../../api/http/present-problem.ts'
import { openDatabase } from '../../db/postgres/database.ts'
import { PASSWORD, type Tenant } from './service.ts'

/** A response, with its body parsed if it is JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // tests access any member of bodies; their shape was checked against the schema that the API publishes
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any
}

interface Call {
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Ends the request. */
  readonly signal?: AbortSignal
}

// Only the declarations of the endpoints are used, not their handlers: this database is never connected to.
const db = openDatabase({ url: 'postgres://nowhere.invalid/none', poolMax: 2 })
export const declared: readonly Endpoint[] = listEndpoints({ db } as Stores, { insightWaitMs: 0 })

type Response = { readonly description: string }
type Operation = { readonly responses: Record<string, Response | { readonly $ref: string } | undefined> }
const { paths, components } = describeEndpoints(declared) as {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Response> }
}

/** Returns the documented description of the response of an endpoint with a status. */
function describeResponse({ path, method }: Endpoint, status: number): string | undefined {
  const response = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method]?.responses[status]
  return response && '$ref' in response
    ? components.responses[response.$ref.replace('#/components/responses/', '')]?.description
    : response?.description
}

const matches = (template: string, path: string) =>
  new RegExp(`^${template.replace(/:\w+/g, '[^/]+')}$`, 'i').test(path)

/**
 * Calls the API and checks the response against its documentation: the declared schema, or problem details with a
 * title that is declared for the endpoint.
 *
 * A body that is neither text nor a Blob is sent as JSON.
 */
export async function call(url: string, method: string, path: string, options: Call = {}): Promise<Answer> {
  const { token, body, headers, signal } = options
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    ...(signal && { signal }),
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && {
      body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
    }),
  })
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  const answer = {
    status: response.status,
    headers: response.headers,
    body: type.includes('json') && method !== 'HEAD' ? JSON.parse(text) : text,
  }
  checkAnswer(method, path.split('?')[0] ?? '', type, answer)
  return answer
}

function checkAnswer(method: string, path: string, type: string, { status, headers, body }: Answer): void {
  expect(headers.get('x-request-id')).toBeTruthy()
  if (method === 'HEAD') return
  const endpoint = declared.find((one) => one.method === method.toLowerCase() && matches(one.path, path))
  if (status >= 400) {
    expect(type).toBe('application/problem+json')
    const problem = ProblemDetails.strict().parse(body)
    expect(problem.status).toBe(status)
    expect(problem.traceId).toBe(headers.get('x-request-id'))
    if (endpoint)
      expect(describeResponse(endpoint, status), `of a ${status}`).toContain(`\`${problem.title}\``)
    return
  }
  if (!endpoint || (status === 304 && endpoint.isConditional)) return
  expect(status).toBe(endpoint.response.status)
  endpoint.response.schema?.parse(body)
}

export const attemptLogin = (
  url: string,
  userEmail: string,
  password: string = PASSWORD,
  headers: Record<string, string> = {},
): Promise<Answer> => call(url, 'POST', '/api/account/v1/login', { body: { userEmail, password }, headers })

/** Signs in as the tenant's user. @returns the login token */
export async function logIn(url: string, { userEmail }: Pick<Tenant, 'userEmail'>): Promise<string> {
  const { status, body } = await attemptLogin(url, userEmail)
  expect(status).toBe(200)
  return body.access_token
}

export const upload = (url: string, token: string, body: unknown): Promise<Answer> =>
  call(url, 'POST', '/api/datasets/v1/upload', { token, body })

export const assignInfo = (url: string, token: string, body: unknown): Promise<Answer> =>
  call(url, 'POST', '/api/datasets/v1/additionalinfo', { token, body })

export const readInsight = (url: string, token: string, referenceNumber: string): Promise<Answer> =>
  call(url, 'GET', `/v6.0/datasets/${encodeURIComponent(referenceNumber)}/datasetinsight`, { token })

export const readByCode = (
  url: string,
  token: string,
  referenceNumber: string,
  query = '',
): Promise<Answer> =>
  call(url, 'GET', `/api/insights/v1/${encodeURIComponent(referenceNumber)}${query}`, { token })
