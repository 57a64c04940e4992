import { fieldsOfDeprecation } from '../http/deprecation.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { JsonObject } from './json-schema.ts'

const TEXTS = {
  Deprecation: 'When the operation was deprecated: @ and seconds since 1970, RFC 9745',
  Sunset: 'From when on the operation may be removed, RFC 8594',
  Link: 'The documentation, with the relation deprecation, and the path to use instead, with successor-version',
} as const

/** Adds to the OpenAPI operation of a deprecated endpoint that it is, until when it stays, and the headers that say so. */
export function describeDeprecation(
  { deprecated, response: { status } }: Endpoint,
  operation: JsonObject,
): JsonObject {
  if (!deprecated) return operation
  const { since, sunset, successor } = deprecated
  const fields = fieldsOfDeprecation(deprecated)
  const headers = Object.entries(TEXTS).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' }, example: fields[name] },
  ])
  const notice = `Deprecated since ${since}; may be removed from ${sunset} on.`
  const responses = operation.responses as Record<string, JsonObject>
  const success = responses[status]
  return {
    ...operation,
    deprecated: true,
    'x-sunset': sunset,
    description: [
      successor === undefined ? notice : `${notice} Use \`${successor}\` instead.`,
      operation.description,
    ].join('\n\n'),
    responses: {
      ...responses,
      [status]: {
        ...success,
        headers: { ...(success?.headers as JsonObject), ...Object.fromEntries(headers) },
      },
    },
  }
}
