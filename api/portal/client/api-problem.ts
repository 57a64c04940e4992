import type { StepUpWay } from './step-up.ts'

/** What a user with a second factor has to answer after the password. */
export interface SecondFactor {
  readonly challenge: string
  readonly factors: readonly ('totp' | 'passkey' | 'recovery_code')[]
  /** Options for the browser, of a user with passkeys. */
  readonly passkey?: Readonly<Record<string, unknown>> | undefined
}

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
  /** Only for `second_factor_required`. */
  readonly secondFactor: SecondFactor | undefined
  /** Ways to prove who the user is; only for `step_up_required`. */
  readonly ways: readonly StepUpWay[]
  /** Where the user signs in instead; only for `sso_required`. */
  readonly signInUrl: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** Identifies the request in the logs of the service. */
  readonly traceId: string | undefined

  constructor(problem: {
    status: number
    title: string
    detail: string
    errors?: Record<string, string[]> | undefined
    subscriptions?: { name: string }[] | undefined
    secondFactor?: SecondFactor | undefined
    ways?: StepUpWay[] | undefined
    signInUrl?: string | undefined
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
    this.secondFactor = problem.secondFactor
    this.ways = problem.ways ?? []
    this.signInUrl = problem.signInUrl
    this.retryAfterSeconds = problem.retryAfterSeconds
    this.traceId = problem.traceId
  }
}

/** Lists the members that the service rejected, with their messages; none if an error names no member. */
export const listFieldErrors = (error: unknown): [path: string, message: string][] =>
  error instanceof ApiProblem
    ? Object.entries(error.errors).map(([path, messages]) => [path, messages.join('; ')])
    : []

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
    secondFactor: body?.title === 'second_factor_required' ? body : undefined,
    ways: body?.ways,
    signInUrl: body?.signInUrl,
    keys: body?.keys,
    retryAfterSeconds: retryAfter,
    traceId: body?.traceId ?? response.headers.get('x-request-id') ?? undefined,
  })
}
