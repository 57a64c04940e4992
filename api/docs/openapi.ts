import { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { TOKEN_COOKIE } from '../account/session-cookies.ts'
import type { Credential, Endpoint } from '../http/endpoint.ts'
import { ProblemDetails } from '../http/present-problem.ts'
import { PROBLEMS, type ProblemCode } from '../http/problem.ts'

const CREDENTIAL_PROBLEMS: Record<Credential['kind'], readonly ProblemCode[]> = {
  none: [],
  key: ['unauthenticated', 'forbidden', 'subscription_suspended'],
  login: ['unauthenticated', 'forbidden', 'subscription_suspended'],
  either: ['unauthenticated', 'forbidden', 'subscription_suspended'],
}

const BODY_PROBLEMS: readonly ProblemCode[] = [
  'malformed_request',
  'malformed_json',
  'validation_failed',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
]

type JsonObject = Record<string, unknown>

/**
 * The OpenAPI 3.1 document of endpoints, made from the schemas that check their requests and, in tests, their answers.
 *
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function describeEndpoints(endpoints: readonly Endpoint[]): JsonObject {
  const components: JsonObject = {}
  schemaOf(ProblemDetails, 'output', components)
  const paths: Record<string, JsonObject> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method]: describe(endpoint, components) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Inkling',
      version: manifest.version,
      description:
        'Upload behavioural datasets and read the insight computed from them. Errors are problem details (RFC 9457); ' +
        'programs switch on `title`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      ...['Account', 'Datasets', 'Insights', 'Scorecards', 'API keys', 'Users', 'Audit', 'Pipeline'],
      ...['Reference', 'Health'],
    ].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'API key: ink_…' },
        login: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Token from login' },
        browser: {
          type: 'apiKey',
          in: 'cookie',
          name: TOKEN_COOKIE,
          description: 'Login token in a cookie, from the portal alone: with X-Inkling-Portal: 1',
        },
      },
    },
  }
}

function describe(endpoint: Endpoint, components: JsonObject): JsonObject {
  const { answer, credential } = endpoint
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, audience(credential)].filter(Boolean).join('\n\n'),
    security: SECURITY[credential.kind],
    parameters: [
      ...Object.entries(endpoint.params ?? {}).map(([name, description]) => ({
        name,
        in: 'path',
        required: true,
        description,
        schema: { type: 'string' },
      })),
      ...queryParameters(endpoint.query, components),
    ],
    ...(endpoint.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(endpoint.body, 'input', components) } },
      },
    }),
    responses: {
      [answer.status]: {
        description: answer.description,
        ...(answer.schema && {
          content: {
            [answer.type ?? 'application/json']: { schema: schemaOf(answer.schema, 'output', components) },
          },
        }),
      },
      ...problemResponses(endpoint),
    },
  }
}

const SECURITY: Record<Credential['kind'], readonly JsonObject[]> = {
  none: [],
  key: [{ key: [] }],
  login: [{ login: [] }, { browser: [] }],
  either: [{ key: [] }, { login: [] }, { browser: [] }],
}

function audience(credential: Credential): string {
  if (credential.kind === 'key') return `Needs an API key with the role ${credential.role}.`
  if (credential.kind === 'either')
    return `Needs an API key with the role ${credential.role}, or a login token of a user with the role ${credential.roles.join(' or ')}.`
  if (credential.kind === 'login')
    return `Needs a login token of a user with the role ${credential.roles.join(' or ')}.`
  return 'Needs no credential.'
}

function queryParameters(query: z.ZodType | undefined, components: JsonObject): JsonObject[] {
  if (!query) return []
  const { properties = {}, required = [] } = schemaOf(query, 'input', components) as {
    properties?: Record<string, JsonObject>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
  }))
}

/** Problems by status; several of one status share a response, which lists their titles. */
function problemResponses(endpoint: Endpoint): JsonObject {
  const codes = new Set<ProblemCode>([
    ...CREDENTIAL_PROBLEMS[endpoint.credential.kind],
    ...(endpoint.body ? BODY_PROBLEMS : endpoint.query ? (['validation_failed'] as const) : []),
    ...endpoint.problems,
    'internal_error',
    'unavailable',
  ])
  const byStatus = Map.groupBy(codes, (code) => endpoint.statuses?.[code] ?? PROBLEMS[code][0])
  return Object.fromEntries(
    [...byStatus].map(([status, titles]) => [
      status,
      {
        description: titles.map((title) => `\`${title}\`: ${PROBLEMS[title][1]}`).join('\n\n'),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } } },
      },
    ]),
  )
}

/** The JSON Schema of a zod schema; those in it that have an id are put among the components and referred to. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: JsonObject): JsonObject {
  const whole = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any' })
  const {
    $schema: _,
    $defs = {},
    ...json
  }: JsonObject & { $defs?: Record<string, JsonObject> } = JSON.parse(
    JSON.stringify(whole).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'),
  )
  for (const [id, { id: _id, ...definition }] of Object.entries($defs)) components[id] = definition
  return json
}
