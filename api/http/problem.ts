import type { KeyOfUser } from '../../db/accounts/keys-of-user.ts'
import type { LimitName } from '../limits/limit-names.ts'

/**
 * Every error response of the API: its HTTP status and one sentence for people.
 *
 * The key is the `title` that programs switch on. It is published and never renamed. `PROBLEM_HELP` explains each one.
 *
 * @see RFC 9457
 */
export const PROBLEMS = {
  malformed_request: [400, 'The request is not valid HTTP/1.1; see RFC 9112'],
  malformed_json: [400, 'The body is not JSON in UTF-8; send one JSON object'],
  segment_invalid: [400, 'The body is not a segment: JSON in UTF-8, plain or gzipped; see errors'],
  validation_failed: [400, 'Some members of the request are invalid; see errors'],
  subscription_suspended: [403, 'The subscription is suspended; contact the operator of this service'],
  unauthenticated: [401, 'Send a valid credential as Authorization: Bearer …'],
  site_key_invalid: [401, 'This site key does not exist, or it was revoked or has expired'],
  collection_token_invalid: [
    401,
    'The token is not valid for this site key and origin, or it has expired; request a new one from your backend',
  ],
  invalid_credentials: [401, 'No user has this e-mail and password'],
  second_factor_required: [
    401,
    'The password is right, and this user has a second factor: answer challenge by one of factors',
  ],
  challenge_invalid: [401, 'The challenge has expired or was answered before; begin again'],
  step_up_required: [
    401,
    'Prove again who you are, by one of ways, and repeat the request; or sign in again',
  ],
  forbidden: [403, 'The credential is valid, but its role does not allow this'],
  factor_required: [
    403,
    'Your subscription requires a second factor for this; add one to your account in the portal',
  ],
  network_not_allowed: [
    403,
    'The API key may not be used from this address; an admin can create one that may',
  ],
  sso_required: [403, 'Users of this e-mail domain sign in by single sign-on: open signInUrl in a browser'],
  origin_not_allowed: [403, 'The site key does not allow pages of this origin; an admin can add it'],
  dataset_not_found: [404, 'No dataset of your subscription has this reference number'],
  collection_not_found: [404, 'There is no such collection; it may have been withdrawn or have expired'],
  route_not_found: [404, 'This path does not exist; /docs lists all paths'],
  not_found: [404, 'Your subscription has no resource with this id; the parent path lists its resources'],
  method_not_allowed: [
    405,
    'This path does not support this method; the Allow header lists the supported ones',
  ],
  request_timeout: [408, 'The request was not complete in time; send it faster'],
  reference_number_taken: [409, 'Another dataset already has this reference number; choose another one'],
  collection_token_used: [409, 'The token has opened a collection already; each opens one'],
  collection_closed: [409, 'The collection is complete; it accepts no more segments and cannot be withdrawn'],
  segments_missing: [409, 'Some segments are not stored; send them again, then complete the collection'],
  additional_info_conflict: [
    409,
    'Some keys are saved with another value, which cannot be changed; nothing was saved',
  ],
  subscription_required: [
    409,
    'The e-mail and password belong to several subscriptions; repeat the request with one of subscriptions',
  ],
  key_decision_required: [
    409,
    'The user created keys that are live; repeat the request with keys, which is keep or revoke',
  ],
  conflict: [409, 'The request conflicts with the current state of the resource; read it again'],
  dataset_deleted: [410, 'The dataset with this reference number was deleted'],
  collection_full: [
    413,
    'The collection has reached its limit of 4 MiB, 50,000 events or 4 hours; it can be completed',
  ],
  payload_too_large: [413, 'The body exceeds the size limit of this service'],
  unsupported_media_type: [
    415,
    'Send JSON in UTF-8 as Content-Type: application/json, plain or with Content-Encoding: gzip',
  ],
  expectation_failed: [417, 'The only supported value of Expect is 100-continue'],
  dataset_invalid: [422, 'The data of this dataset could not be decoded'],
  rate_limited: [429, 'Too many attempts; retry after the seconds in Retry-After'],
  headers_too_large: [
    431,
    'Send at most 100 header fields, and at most 16 KiB of headers and request target',
  ],
  internal_error: [500, 'Internal error; the operator of this service can find it by traceId'],
  insight_not_ready: [503, 'The dataset is still being processed; retry after the seconds in Retry-After'],
  overloaded: [
    503,
    'The service is overloaded; nothing was accepted; retry after the seconds in Retry-After',
  ],
  unavailable: [
    503,
    'The service is temporarily unavailable; nothing was accepted; retry after the seconds in Retry-After',
  ],
} as const satisfies Record<string, readonly [status: number, detail: string]>

export type ProblemCode = keyof typeof PROBLEMS

/** Every title. */
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[] // Object.keys returns string[]

/** Further members of a problem, each of the problem that its schema names. */
export interface ProblemMembers {
  readonly subscriptions?: readonly { readonly name: string }[]
  readonly challenge?: string
  readonly factors?: readonly ('totp' | 'passkey' | 'recovery_code')[]
  readonly passkey?: Record<string, unknown>
  readonly ways?: readonly ('password' | 'totp' | 'passkey' | 'sso')[]
  readonly signInUrl?: string
  readonly maxAgeSeconds?: number
  readonly keys?: readonly KeyOfUser[]
  /** The limit that is reached. */
  readonly limit?: { readonly name: LimitName; readonly quota: number; readonly retryAt: string }
}

interface ProblemOptions extends ErrorOptions {
  /** Replaces the default sentence. Must not contain a stack trace, SQL or an internal name. */
  readonly detail?: string
  /** Replaces the default status, where the interface document requires it. */
  readonly status?: number
  /** Messages by member path in camelCase. */
  readonly errors?: Readonly<Record<string, readonly string[]>>
  readonly members?: ProblemMembers
  /** Whole seconds; by default 1 for problems that are retried after a delay, and none for others. */
  readonly retryAfterSeconds?: number
  /** Methods that the path supports. */
  readonly allow?: string
}

/** An error response that the error handler writes; not logged as an error without a cause. */
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
