/**
 * Every problem that the API can answer with: its HTTP status and one sentence for a person.
 *
 * The key is the `title` that programs switch on. Published: never renamed.
 *
 * @see RFC 9457
 */
export const PROBLEMS = {
  malformed_request: [400, 'This is no request of HTTP/1.1; see RFC 9112 for how to write one'],
  malformed_json: [400, 'The body is not JSON in UTF-8; send one JSON object'],
  validation_failed: [
    400,
    'Some members of the request are not as they should be; errors says which and why',
  ],
  subscription_suspended: [403, 'The subscription is suspended; ask whoever operates this service'],
  unauthenticated: [401, 'Send a valid credential as Authorization: Bearer …'],
  invalid_credentials: [401, 'No user has this e-mail and password'],
  forbidden: [403, 'The credential is valid, but its role does not allow this'],
  dataset_not_found: [404, 'No dataset of your subscription has this reference number'],
  route_not_found: [404, 'There is nothing at this path; /docs lists what there is'],
  not_found: [404, 'Your subscription has nothing of this id; the list of what it has is one level up'],
  method_not_allowed: [405, 'This path does not take this method; the header Allow lists those it takes'],
  request_timeout: [408, 'The request did not come whole in time; send it faster'],
  reference_number_taken: [409, 'Another dataset already has this reference number; choose another one'],
  additional_info_conflict: [
    409,
    'Some keys are saved with another value, which cannot be changed; nothing was saved',
  ],
  conflict: [409, 'This cannot be done as things stand; read them again'],
  dataset_deleted: [410, 'The dataset with this reference number was deleted'],
  payload_too_large: [413, 'The body is larger than this service accepts'],
  unsupported_media_type: [
    415,
    'Send JSON in UTF-8 as Content-Type: application/json, plain or with Content-Encoding: gzip',
  ],
  expectation_failed: [417, 'The one value of Expect that this service knows is 100-continue'],
  dataset_invalid: [422, 'The data of this dataset could not be decoded'],
  rate_limited: [429, 'Too many attempts; try again after the seconds in Retry-After'],
  headers_too_large: [431, 'Send at most 100 header fields, which with the target have at most 16 KiB'],
  internal_error: [
    500,
    'Something went wrong on our side; traceId helps whoever operates this service to find it',
  ],
  insight_not_ready: [
    503,
    'The dataset is still being processed; ask again after the seconds in Retry-After',
  ],
  overloaded: [
    503,
    'More is coming in than can be taken; nothing was accepted; try again after the seconds in Retry-After',
  ],
  unavailable: [
    503,
    'The service cannot do this at the moment; nothing was accepted; try again after the seconds in Retry-After',
  ],
} as const satisfies Record<string, readonly [status: number, detail: string]>

export type ProblemCode = keyof typeof PROBLEMS

/** Every title. */
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[] // which keys of an object literal are

interface ProblemOptions extends ErrorOptions {
  /** In place of the code's own sentence. Never with a stack, SQL or an internal name. */
  readonly detail?: string
  /** In place of the code's own status, where the interface wants it so. */
  readonly status?: number
  /** Member path in camelCase, to messages. */
  readonly errors?: Readonly<Record<string, readonly string[]>>
  /** Whole seconds; 1 where a 429 or 503 does not say. */
  readonly retryAfterSeconds?: number
  /** Methods that the path takes. */
  readonly allow?: string
}

/** The client's error: an answer that one middleware writes, with nothing to log. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: ProblemCode
  readonly status: number
  readonly detail: string
  readonly options: ProblemOptions

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(code, options)
    const [status, detail] = PROBLEMS[code]
    this.code = code
    this.status = options.status ?? status
    this.detail = options.detail ?? detail
    this.options = options
  }
}
