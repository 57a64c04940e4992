/** What the API answered when it did not do as asked, for a person. */
export class ApiProblem extends Error {
  override name = 'ApiProblem'
  /** HTTP status; 0 where no answer came. */
  readonly status: number
  /** What programs switch on, as in `validation_failed`. */
  readonly title: string
  /** Member path to messages, of `validation_failed`. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  readonly retryAfterSeconds: number | undefined
  /** By which whoever operates the service finds the request in the logs. */
  readonly traceId: string | undefined

  constructor(problem: {
    status: number
    title: string
    detail: string
    errors?: Record<string, string[]> | undefined
    retryAfterSeconds?: number | undefined
    traceId?: string | undefined
  }) {
    super(problem.detail)
    this.status = problem.status
    this.title = problem.title
    this.errors = problem.errors ?? {}
    this.retryAfterSeconds = problem.retryAfterSeconds
    this.traceId = problem.traceId
  }
}

/** Reads the problem of an answer that is none of 2xx. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const retryAfter = Number(response.headers.get('retry-after')) || undefined
  const body = await response.json().catch(() => undefined)
  return new ApiProblem({
    status: response.status,
    title: body?.title ?? 'unknown',
    detail: body?.detail ?? `The service answered ${response.status}; try again`,
    errors: body?.errors,
    retryAfterSeconds: retryAfter,
    traceId: body?.traceId ?? response.headers.get('x-request-id') ?? undefined,
  })
}
