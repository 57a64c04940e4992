import type { ProblemCode } from './problem.ts'

/** Whether the same request may be successful when it is sent again, and when. */
export type Retry =
  /** Not without help: by an admin, by the operator, or never. */
  | 'never'
  /** After the seconds in `Retry-After`, which every such response has. */
  | 'after_delay'
  /** After a pause that doubles with each attempt. */
  | 'with_backoff'
  /** As another request: with a correction, another credential or another value. */
  | 'after_change'

/** Help for a problem, besides its status and sentence in `PROBLEMS`. */
export interface ProblemHelp {
  /** When the problem occurs. */
  readonly meaning: string
  readonly retry: Retry
  /** What to do. */
  readonly remedy: string
}

/**
 * Help for every problem. Its pages are `/problems` and `/problems/<code>`; the OpenAPI document and docs/errors.md contain it.
 *
 * Add a row here for every new code of `PROBLEMS`.
 */
export const PROBLEM_HELP = {
  malformed_request: {
    meaning: 'The bytes on the connection are not an HTTP/1.1 request. The connection is closed.',
    retry: 'after_change',
    remedy:
      'Check the HTTP client and the proxies before this service. docs/http.md of the project lists each case.',
  },
  malformed_json: {
    meaning: 'The body cannot be read: it is not JSON in UTF-8, not the announced gzip, or incomplete.',
    retry: 'after_change',
    remedy:
      'Serialise the body with a JSON library, and send it completely. detail names the place of the error.',
  },
  segment_invalid: {
    meaning:
      'A segment of a browser collection does not have the format of the SDK. Nothing of it was stored.',
    retry: 'after_change',
    remedy: 'Load the SDK of this service, unmodified. errors lists every fault by its member.',
  },
  validation_failed: {
    meaning:
      'The body is JSON, but members of the body or of the query are missing or invalid. Nothing was stored.',
    retry: 'after_change',
    remedy:
      'Correct every member that errors lists: it has all faults of the request, by the path of the member.',
  },
  subscription_suspended: {
    meaning:
      'The operator has suspended the subscription. Its keys get status 403; a login gets status 400 with the same title.',
    retry: 'never',
    remedy: 'Contact the operator of this service. Stored datasets stay until then.',
  },
  unauthenticated: {
    meaning:
      'The credential is missing, unknown, expired or revoked, or it is a login token where an API key is required, or the other way round.',
    retry: 'after_change',
    remedy:
      'Send Authorization: Bearer with a valid credential of the required kind. Renew an expired login token with the refresh token, or log in again.',
  },
  site_key_invalid: {
    meaning: 'The page presents a site key that does not exist, was revoked or has expired.',
    retry: 'after_change',
    remedy: 'Use a site key that is live. Admins create and rotate site keys in the portal.',
  },
  collection_token_invalid: {
    meaning: 'The token that should open a collection is for another site key or origin, or it has expired.',
    retry: 'after_change',
    remedy: 'Request a new token from your backend, shortly before the page opens the collection.',
  },
  invalid_credentials: {
    meaning:
      'The e-mail, the password, the refresh token or the answer to a challenge is wrong, or was used before. The answer does not depend on whether the user exists.',
    retry: 'after_change',
    remedy: 'Ask the user to sign in again. Repeated failures are limited, and answered by rate_limited.',
  },
  second_factor_required: {
    meaning: 'The password is right, and the user has a second factor.',
    retry: 'after_change',
    remedy:
      'Send an answer to challenge to /api/account/v1/login/factor within 5 minutes, by one of the kinds in factors.',
  },
  challenge_invalid: {
    meaning: 'The challenge has expired after 5 minutes, or was answered before.',
    retry: 'after_change',
    remedy: 'Begin the sign-in, the step-up or the registration again, and answer its new challenge.',
  },
  step_up_required: {
    meaning: 'The route changes something sensitive, and the last sign-in is older than maxAgeSeconds.',
    retry: 'after_change',
    remedy:
      'Verify the user at /api/account/v1/step-up by one of the methods in ways, then send the same request again.',
  },
  forbidden: {
    meaning: 'The credential is valid, but its role or its scopes do not allow this route.',
    retry: 'after_change',
    remedy: 'Use a credential that allows the route. Each route of /docs says which one it requires.',
  },
  factor_required: {
    meaning: 'The policy of the subscription requires a second factor for this, and the user has none.',
    retry: 'after_change',
    remedy:
      'Add a passkey or an authenticator app to your account in the portal, then send the request again.',
  },
  network_not_allowed: {
    meaning: 'The API key is limited to networks, and the request comes from another address.',
    retry: 'never',
    remedy:
      'Send the request from an allowed network, or ask an admin for a key with the right networks. If a proxy forwards requests, the operator has to set TRUSTED_PROXIES and CLIENT_ADDRESS_HEADER.',
  },
  sso_required: {
    meaning: 'Users of this e-mail domain sign in at their own provider, not by a password.',
    retry: 'never',
    remedy: 'Open signInUrl in a browser. A backend reads insights with an API key instead.',
  },
  origin_not_allowed: {
    meaning: 'The site key does not list the origin of the page.',
    retry: 'never',
    remedy: 'Ask an admin of the subscription to add the origin to the site key in the portal.',
  },
  dataset_not_found: {
    meaning:
      'Your subscription has no dataset with this reference number. A dataset of another subscription gives the same answer.',
    retry: 'after_change',
    remedy:
      'Check the reference number, its percent-encoding in the path, and the subscription of the credential. Upload the dataset first: after the 200 it is found.',
  },
  collection_not_found: {
    meaning:
      'The collection does not exist: it was withdrawn, has expired, or belongs to another subscription.',
    retry: 'after_change',
    remedy: 'Open a new collection. A backend claims a collection within 24 hours.',
  },
  route_not_found: {
    meaning: 'The service has no such path.',
    retry: 'after_change',
    remedy: 'Compare method and path with /docs. Reference numbers in paths must be percent-encoded.',
  },
  not_found: {
    meaning: 'Your subscription has no resource with this id; it may have been deleted.',
    retry: 'after_change',
    remedy: 'List the resources at the parent path, and use one of their ids.',
  },
  method_not_allowed: {
    meaning: 'The path exists, but not with this method.',
    retry: 'after_change',
    remedy: 'Use one of the methods in the header Allow.',
  },
  request_timeout: {
    meaning: 'The headers were not complete within 20 s, or the body within 120 s. The connection is closed.',
    retry: 'with_backoff',
    remedy: 'Retry on a new connection. If it happens again, check the network and the size of the body.',
  },
  reference_number_taken: {
    meaning:
      'Another dataset has this reference number: it was uploaded with other data. The same data would have been accepted again.',
    retry: 'after_change',
    remedy:
      'Give each capture a reference number of its own. For a retry, send the same bytes of data as before.',
  },
  collection_token_used: {
    meaning: 'The token has opened a collection already.',
    retry: 'after_change',
    remedy: 'Request a new token from your backend for each collection.',
  },
  collection_closed: {
    meaning: 'The collection is complete: its dataset exists.',
    retry: 'never',
    remedy: 'Read the insight of its reference number. To record again, open a new collection.',
  },
  segments_missing: {
    meaning: 'The page completes a collection of which segments have not arrived.',
    retry: 'after_change',
    remedy: 'Send the segments whose numbers errors lists, then complete the collection again.',
  },
  additional_info_conflict: {
    meaning:
      'Some keys are saved with another value. Saved values never change, and nothing of this call was saved.',
    retry: 'after_change',
    remedy:
      'Leave out the keys that errors names, or send them with their saved values. New keys are accepted.',
  },
  subscription_required: {
    meaning: 'The e-mail and password belong to users of several subscriptions.',
    retry: 'after_change',
    remedy: 'Send the login again with subscription: one of the names in subscriptions.',
  },
  key_decision_required: {
    meaning: 'The user to disable or delete has created keys that are live.',
    retry: 'after_change',
    remedy: 'Send the request again with keys: keep or revoke. The member keys of the answer lists the keys.',
  },
  conflict: {
    meaning:
      'The request is valid, but the current state of the resource does not allow it; detail says why.',
    retry: 'after_change',
    remedy:
      'Read the resource again, and decide by its current state. Where waiting is enough, the response has Retry-After.',
  },
  dataset_deleted: {
    meaning: 'The dataset was deleted on request or by retention. Its reference number stays taken.',
    retry: 'never',
    remedy: 'Stop requesting this reference number. A new capture needs a new one.',
  },
  collection_full: {
    meaning: 'The collection has reached its limit of bytes, events or time.',
    retry: 'never',
    remedy: 'Complete the collection with the segments that were accepted.',
  },
  payload_too_large: {
    meaning: 'The body is larger than this service accepts, as sent or after it is inflated.',
    retry: 'after_change',
    remedy:
      'Compress the body with gzip, or send fewer sections of the capture. The operator sets the limit.',
  },
  unsupported_media_type: {
    meaning: 'The header Content-Type or Content-Encoding is missing or not supported.',
    retry: 'after_change',
    remedy: 'Send Content-Type: application/json, and for a compressed body Content-Encoding: gzip.',
  },
  expectation_failed: {
    meaning: 'The header Expect has a value other than 100-continue.',
    retry: 'after_change',
    remedy: 'Remove the header Expect, or set it to 100-continue.',
  },
  dataset_invalid: {
    meaning:
      'The data of the dataset could not be decoded, so it has no insight. The data is kept in quarantine; detail says why.',
    retry: 'never',
    remedy:
      'Check the capture with scripts/check-capture, correct the SDK or its integration, and upload a new capture with a new reference number.',
  },
  rate_limited: {
    meaning:
      'A limit of the API key, of its subscription or of login attempts is reached. The member limit and the header RateLimit name it.',
    retry: 'after_delay',
    remedy:
      'Wait for the seconds in Retry-After, and send fewer requests at once. Limits are shown in the portal.',
  },
  headers_too_large: {
    meaning: 'The request has more than 100 header fields, or its headers and target exceed 16 KiB.',
    retry: 'after_change',
    remedy: 'Send fewer and shorter headers, such as cookies of other applications.',
  },
  internal_error: {
    meaning: 'A fault of this service. The request may or may not have taken effect.',
    retry: 'with_backoff',
    remedy:
      'Retry only requests that are safe to repeat. If the error persists, send its traceId to the operator.',
  },
  insight_not_ready: {
    meaning: 'The dataset is accepted, but was not processed within the waiting time of the request.',
    retry: 'after_delay',
    remedy: 'Wait for the seconds in Retry-After, and read again: a read moves the dataset to the front.',
  },
  overloaded: {
    meaning: 'The service sheds load: too many requests are in progress. Nothing was accepted.',
    retry: 'after_delay',
    remedy: 'Wait for the seconds in Retry-After, then retry with back-off and jitter.',
  },
  unavailable: {
    meaning:
      'A store of the service does not answer. Nothing was accepted, unless detail says that the request timed out.',
    retry: 'after_delay',
    remedy: 'Wait for the seconds in Retry-After, then retry with back-off and jitter.',
  },
} as const satisfies Record<ProblemCode, ProblemHelp>

/** The retry rule of each problem in words. */
export const RETRY_RULES = {
  never: 'Do not retry',
  after_delay: 'Retry after the seconds in Retry-After',
  with_backoff: 'Retry with back-off',
  after_change: 'Retry after a change of the request',
} as const satisfies Record<Retry, string>
