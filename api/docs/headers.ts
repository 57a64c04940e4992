import type { JsonObject } from './json-schema.ts'

/** Headers that answers have, by their names. */
export const HEADERS: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': {
    description:
      'Id of the request: as sent in X-Request-Id where it is sane, otherwise made; in traceId of problems',
    schema: { type: 'string' },
    example: '0b5f6a3c-6a1e-4c55-9d0e-3f1f5f6d9a11',
  },
  'Retry-After': {
    description: 'Seconds after which to try again',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  'WWW-Authenticate': {
    description: 'The scheme of the credential that is wanted',
    schema: { type: 'string' },
    example: 'Bearer realm="inkling"',
  },
  Allow: {
    description: 'The methods of the path',
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

/** The headers of an answer of this status. */
export const headersOf = (status: number): JsonObject =>
  Object.fromEntries(
    ['X-Request-Id', OF_STATUS[status]].flatMap((name) =>
      name === undefined ? [] : [[name, { $ref: `#/components/headers/${name}` }]],
    ),
  )
