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
  'WWW-Authenticate': {
    description: 'Required authentication scheme',
    schema: { type: 'string' },
    example: 'Bearer realm="inkling"',
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

/** Returns the headers of a response with this status. */
export const headersOf = (status: number): JsonObject =>
  Object.fromEntries(
    ['X-Request-Id', OF_STATUS[status]].flatMap((name) =>
      name === undefined ? [] : [[name, { $ref: `#/components/headers/${name}` }]],
    ),
  )
