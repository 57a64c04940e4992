import { type Deprecation, fieldsOfDeprecation } from '../http/deprecation.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { JsonObject } from './json-schema.ts'

/** Response headers by name. */
export const HEADERS: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': {
    description:
      'Request id: as sent in X-Request-Id if valid, otherwise generated; the same as traceId of errors',
    schema: { type: 'string' },
    example: '0b5f6a3c-6a1e-4c55-9d0e-3f1f5f6d9a11',
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  'RateLimit-Policy': {
    description:
      'Limits of the API key and its subscription, if they have any: quota q of requests, or of the unit qu, in w seconds. A structured field of draft-ietf-httpapi-ratelimit-headers',
    schema: { type: 'string' },
    example: '"key-requests";q=1000;w=10, "key-datasets";q=50000;qu="datasets";w=86400',
  },
  RateLimit: {
    description:
      'What is left of the limits in RateLimit-Policy: r now, restored in t seconds. A structured field of draft-ietf-httpapi-ratelimit-headers',
    schema: { type: 'string' },
    example: '"key-requests";r=999;t=10, "key-datasets";r=37955;t=31244',
  },
  ETag: {
    description:
      'Version of the content, apart from requestedDate; send it as If-None-Match to get 304 while it is current',
    schema: { type: 'string' },
    example: 'W/"2026-11-20T08:15:30.204118"',
  },
  'WWW-Authenticate': {
    description: 'Required authentication scheme',
    schema: { type: 'string' },
    example: 'Bearer realm="inkling"',
  },
  Link: {
    description: 'Page that explains the problem, with the relation help',
    schema: { type: 'string' },
    example: '</problems/validation_failed>; rel="help"',
  },
  Allow: {
    description: 'Methods that the path supports',
    schema: { type: 'string' },
    example: 'HEAD, GET',
  },
}

const OF_STATUS: Readonly<Record<number, string>> = {
  401: 'WWW-Authenticate',
  405: 'Allow',
  429: 'Retry-After',
  503: 'Retry-After',
}

const refer = (names: readonly (string | undefined)[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => (name === undefined ? [] : [[name, { $ref: `#/components/headers/${name}` }]])),
  )

/** Returns the headers of an error response with this status. */
export const headersOf = (status: number): JsonObject => refer(['X-Request-Id', OF_STATUS[status], 'Link'])

/** Returns the headers of a success response: API keys have limits. */
export const headersOfSuccess = (
  status: number,
  { credential: { kind }, isConditional }: Pick<Endpoint, 'credential' | 'isConditional'>,
): JsonObject =>
  refer([
    'X-Request-Id',
    OF_STATUS[status],
    isConditional && 'ETag',
    ...(kind === 'key' || kind === 'either' ? ['RateLimit-Policy', 'RateLimit'] : []),
  ])

const DEPRECATION_TEXTS = {
  Deprecation: 'When the operation was deprecated: @ and seconds since 1970, RFC 9745',
  Sunset: 'From when on the operation may be removed, RFC 8594',
  Link: 'The policy of versions, with the relation deprecation, and the path to use instead, with successor-version',
} as const

/** Returns the further headers of all responses of a deprecated operation. */
export function headersOfDeprecation(deprecation: Deprecation): JsonObject {
  const fields = fieldsOfDeprecation(deprecation)
  return Object.fromEntries(
    Object.entries(DEPRECATION_TEXTS).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' }, example: fields[name] },
    ]),
  )
}
