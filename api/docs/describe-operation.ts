import type { z } from 'zod'
import type { Deprecation } from '../http/deprecation.ts'
import type { Credential, Endpoint, Idempotency } from '../http/endpoint.ts'
import { hasModes, MODE_HEADER } from '../test-mode/modes.ts'
import { exampleOf } from './example-of.ts'
import { headersOfDeprecation, headersOfSuccess } from './headers.ts'
import { type JsonObject, schemaOf } from './json-schema.ts'
import { problemResponses } from './problem-responses.ts'

const SECURITY: Record<Credential['kind'], readonly JsonObject[]> = {
  none: [],
  key: [{ key: [] }],
  login: [{ login: [] }, { browser: [] }],
  either: [{ key: [] }, { login: [] }, { browser: [] }],
  siteKey: [{ siteKey: [] }],
  collection: [{ collection: [] }],
}

const STEP_UP =
  'A login token requires a sign-in or a step-up (`/api/account/v1/step-up`) within the last 10 minutes; otherwise `step_up_required`.'

const MODE_PARAMETER = {
  ...{ name: MODE_HEADER, in: 'header', required: false },
  description:
    'test: with a login token, the request is about test data. An API key has a mode of its own, and gets 403 for the other one',
  schema: { type: 'string', enum: ['live', 'test'] },
  example: 'live',
}

/** Returns the OpenAPI operation of an endpoint, with examples of its request and response. */
export function describeOperation(endpoint: Endpoint, components: JsonObject): JsonObject {
  const { response, body, credential } = endpoint
  const idempotency = idempotencyOf(endpoint)
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [
      endpoint.deprecated && noticeOf(endpoint.deprecated),
      endpoint.description,
      idempotency && REPETITION[idempotency],
      audience(credential),
      endpoint.stepUp && STEP_UP,
    ]
      .filter(Boolean)
      .join('\n\n'),
    ...(endpoint.deprecated && { deprecated: true, 'x-sunset': endpoint.deprecated.sunset }),
    security: SECURITY[credential.kind],
    'x-idempotency': idempotency,
    ...('scope' in credential && { 'x-required-scope': credential.scope }),
    parameters: [
      ...Object.entries(endpoint.params ?? {}).map(([name, schema]) =>
        parameter(name, 'path', true, schemaOf(schema, 'input', components), components),
      ),
      ...queryParameters(endpoint.query, components),
      ...(endpoint.isConditional ? [IF_NONE_MATCH] : []),
      ...(hasModes(endpoint) ? [MODE_PARAMETER] : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': mediaType(schemaOf(body, 'input', components), components) },
      },
    }),
    responses: {
      [response.status]: {
        description: response.description,
        headers: {
          ...headersOfSuccess(response.status, endpoint),
          ...(endpoint.deprecated && headersOfDeprecation(endpoint.deprecated)),
          ...ownHeaders(endpoint, components),
        },
        ...(response.schema && {
          content: {
            [response.type ?? 'application/json']: mediaType(
              schemaOf(response.schema, 'output', components),
              components,
              response.example,
            ),
          },
        }),
      },
      ...(endpoint.isConditional && {
        304: {
          description: 'The content has not changed since the response with this entity tag; no body',
          headers: headersOfSuccess(304, endpoint),
        },
      }),
      ...problemResponses(endpoint),
    },
  }
}

const IF_NONE_MATCH = {
  ...{ name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } },
  description: 'ETag of an earlier response; 304 without a body is returned if it is current',
  example: 'W/"2026-11-20T08:15:30.204118"',
}

/** Effect of a repetition, as clients read it. */
const REPETITION: Record<Idempotency, string> = {
  safe: 'Reads only: may be repeated after any failure.',
  idempotent:
    'Idempotent: a repetition has no further effect, so the request may be repeated after any failure.',
  not_idempotent:
    'Not idempotent: after a failure without a response, find out whether the request was successful before it is repeated.',
}

/** Idempotency of methods, without POST and PATCH. @see RFC 9110, section 9.2.2 */
const OF_METHOD: Partial<Record<Endpoint['method'], Idempotency>> = {
  ...{ get: 'safe', put: 'idempotent', delete: 'idempotent' },
}

const idempotencyOf = ({ idempotency, method }: Endpoint): Idempotency | undefined =>
  idempotency ?? OF_METHOD[method]

const noticeOf = ({ since, sunset, successor }: Deprecation): string =>
  `Deprecated since ${since}; may be removed from ${sunset} on.${successor === undefined ? '' : ` Use \`${successor}\` instead.`}`

const mediaType = (
  schema: JsonObject,
  components: JsonObject,
  example = exampleOf(schema, components),
): JsonObject => ({ schema, example })

function audience(credential: Credential): string {
  if (credential.kind === 'key') return `Requires an API key with the scope \`${credential.scope}\`.`
  if (credential.kind === 'either')
    return `Requires an API key with the scope \`${credential.scope}\`, or a login token of a user with the role ${credential.roles.join(' or ')}.`
  if (credential.kind === 'login')
    return `Requires a login token of a user with the role ${credential.roles.join(' or ')}.`
  if (credential.kind === 'siteKey')
    return 'Requires a site key, from a page of one of its origins. For browsers: CORS with any origin; send the JSON as `text/plain`, plain or gzipped.'
  if (credential.kind === 'collection')
    return 'Requires the id of a collection. For browsers: CORS with any origin; send the JSON as `text/plain`, plain or gzipped.'
  return 'Requires no credential.'
}

const ownHeaders = ({ response }: Endpoint, components: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(response.headers ?? {}).map(([name, header]) => {
      const { description, examples, ...schema } = schemaOf(header, 'output', components)
      return [
        name,
        {
          description,
          schema,
          example: exampleOf({ ...(examples !== undefined && { examples }), ...schema }, components),
        },
      ]
    }),
  )

function queryParameters(query: z.ZodType | undefined, components: JsonObject): JsonObject[] {
  if (!query) return []
  const { properties = {}, required = [] } = schemaOf(query, 'input', components) as {
    properties?: Record<string, JsonObject>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) =>
    parameter(name, 'query', required.includes(name), listOf(schema) ?? schema, components),
  )
}

/** Returns the array schema of a "value or array" union: as a query parameter, one value is an array of one. */
function listOf({ anyOf, ...rest }: JsonObject): JsonObject | undefined {
  const list = Array.isArray(anyOf) ? anyOf.find(({ type }: JsonObject) => type === 'array') : undefined
  return list && { ...list, ...rest }
}

function parameter(
  name: string,
  place: 'path' | 'query',
  required: boolean,
  described: JsonObject,
  components: JsonObject,
): JsonObject {
  const { description, examples, ...schema } = described
  return {
    ...{ name, in: place, required, description, schema },
    example: exampleOf({ ...(examples !== undefined && { examples }), ...schema }, components),
  }
}
