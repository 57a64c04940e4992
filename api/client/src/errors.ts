import type { Schemas } from './api-types.ts'

type Problem = Schemas['ProblemDetails']

/** Code of an error of the service; later versions may add codes. `unexpected_response` is not of the service but of a proxy. */
export type ProblemTitle = Problem['title'] | 'unexpected_response' | (string & {})

/** An error response of the service. Programs switch on `title`. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly title: ProblemTitle
  /** The HTTP status. */
  readonly status: number
  /** One sentence for people: the fault and its remedy. */
  readonly detail: string
  /** Request id, by which the operator of the service finds the request. */
  readonly traceId: string | undefined
  /** Messages by member path, of `validation_failed` and `additional_info_conflict`. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** How long the service asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The whole problem document. */
  readonly problem: Readonly<Partial<Problem>>

  constructor(status: number, problem: Partial<Problem>, retryAfterMs?: number) {
    super(`${problem.title ?? 'unexpected_response'} (${status}): ${problem.detail ?? 'no problem document'}`)
    this.title = problem.title ?? 'unexpected_response'
    this.status = status
    this.detail = problem.detail ?? ''
    this.traceId = problem.traceId
    this.errors = problem.errors ?? {}
    this.retryAfterMs = retryAfterMs
    this.problem = problem
  }
}

/** No response arrived: the connection failed or broke, or the time of the attempt ended. `cause` has the reason. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

/** Why a webhook was rejected. */
export type WebhookErrorCode =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_out_of_tolerance'
  | 'invalid_signature'
  | 'invalid_body'

/** A request that is not a webhook of the service; respond with 400 and ignore it. */
export class WebhookError extends Error {
  override name = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
