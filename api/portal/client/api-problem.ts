import type { components } from './openapi.d.ts'

type Problem = components['schemas']['ProblemDetails']

/** An error response of the API, or a request without a response. */
export class ApiProblem extends Error {
  override name = 'ApiProblem'
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** Stable error code, such as `validation_failed`. */
  readonly title: string
  /** Messages by member path; only for `validation_failed`. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** Live keys of a user to decide on; only for `key_decision_required`. */
  readonly keys: NonNullable<Problem['keys']>
  /** Subscriptions to choose from; only for `subscription_required`. */
  readonly subscriptions: readonly { readonly name: string }[]
  readonly retryAfterSeconds: number | undefined
  /** Identifies the request in the logs of the service. */
  readonly traceId: string | undefined

  constructor(problem: {
    status: number
    title: string
    detail: string
    errors?: Record<string, string[]> | undefined
    subscriptions?: { name: string }[] | undefined
    keys?: Problem['keys'] | undefined
    retryAfterSeconds?: number | undefined
    traceId?: string | undefined
  }) {
    super(problem.detail)
    this.status = problem.status
    this.title = problem.title
    this.errors = problem.errors ?? {}
    this.keys = problem.keys ?? []
    this.subscriptions = problem.subscriptions ?? []
    this.retryAfterSeconds = problem.retryAfterSeconds
    this.traceId = problem.traceId
  }
}

/** Reads the problem document of a response outside 2xx. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const retryAfter = Number(response.headers.get('retry-after')) || undefined
  const body = await response.json().catch(() => undefined)
  return new ApiProblem({
    status: response.status,
    title: body?.title ?? 'unknown',
    detail: body?.detail ?? `The service returned status ${response.status}. Try again.`,
    errors: body?.errors,
    subscriptions: body?.subscriptions,
    keys: body?.keys,
    retryAfterSeconds: retryAfter,
    traceId: body?.traceId ?? response.headers.get('x-request-id') ?? undefined,
  })
}
