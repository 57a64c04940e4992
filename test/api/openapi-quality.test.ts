import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ruleset, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeEndpoints } from '../../api/docs/openapi.ts'
import { TAGS } from '../../api/http/endpoint.ts'
import { PROBLEM_CODES } from '../../api/http/problem.ts'
import { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { call, declared } from '../support/client.ts'
import { startService } from '../support/service.ts'

type Json = Record<string, unknown>

interface Content {
  readonly schema: Json
  readonly example?: unknown
  readonly examples?: Record<string, { $ref?: string; value?: Json }>
}

interface Response {
  readonly headers: Record<string, { $ref?: string }>
  readonly content?: Record<string, Content>
}

interface Operation {
  readonly operationId: string
  readonly description: string
  readonly 'x-idempotency'?: string
  readonly tags: string[]
  readonly parameters: (Json & { name: string })[]
  readonly requestBody?: { content: Record<string, Content> }
  readonly responses: Record<string, Response>
}

interface Document {
  readonly tags: { name: string; description: string }[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, Json>
    readonly responses: Record<string, Response>
    readonly headers: Record<string, Json>
    readonly examples: Record<string, { value: Json }>
  }
}

let text: string
let document: Document
let operations: Operation[]

beforeAll(() => {
  text = JSON.stringify(describeEndpoints(declared))
  document = JSON.parse(text)
  operations = Object.values(document.paths).flatMap((path) => Object.values(path))
})

const nameOf = (ref: unknown) => String(ref).split('/').at(-1) ?? ''

const responsesOf = ({ responses }: Operation): [number, Response][] =>
  Object.entries(responses).map(([status, response]) => [
    Number(status),
    '$ref' in response ? (document.components.responses[nameOf(response.$ref)] as Response) : response,
  ])

/** Every JSON object within a value, with the path to it. */
function* walk(value: unknown, path = ''): Generator<[path: string, object: Json]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Json]
  for (const [name, inner] of Object.entries(value)) yield* walk(inner, `${path}/${name}`)
}

test('Redocly finds nothing to improve, but that two operations lead browsers on instead of succeeding', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  const redirects = declared.filter(({ response }) => response.status === 303)
  expect(redirects.map(({ operationId }) => operationId)).toEqual(['startSso', 'completeSso'])
  const pathOf = (path: string) => path.replace(/:(\w+)/g, '{$1}').replaceAll('/', '~1')
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    redirects.map(({ path }) => [
      'operation-2xx-response',
      'Operation must have at least one `2XX` response.',
      `#/paths/${pathOf(path)}/get/responses`,
    ]),
  )
})

test('Spectral finds nothing to improve', async () => {
  const spectral = new Spectral()
  const exampleRule = oas.rules['oas3-valid-media-example']
  const given = exampleRule.given.filter((path) => !path.includes('content'))
  expect(given).toHaveLength(2) // headers and parameters: Redocly checks those of bodies with a tenth of the processor time
  spectral.setRuleset(
    new Ruleset({
      extends: [[oas, 'recommended']],
      rules: { 'oas3-valid-media-example': { ...exampleRule, given } },
    }),
  )
  const problems = await spectral.run(text)
  expect(problems.map(({ code, message, path }) => [code, message, path.join('/')])).toEqual([])
})

test('tags are described, in the order of the documentation, and all used', () => {
  expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(TAGS))
  expect(document.tags.at(0)?.name).toBe('Getting started')
  expect(document.tags.at(-1)?.name).toBe('Account')
  for (const { description } of document.tags) expect(description.length).toBeGreaterThan(20)
  const used = operations.flatMap(({ tags }) => tags)
  expect([...new Set(used)]).toEqual(Object.keys(TAGS))
})

test('each operation says whether it may be repeated; POST and PATCH declare it themselves', () => {
  const silent = operations.filter((operation) => !/safe|idempotent/.test(operation['x-idempotency'] ?? ''))
  expect(silent.map(({ operationId }) => operationId)).toEqual([])
  for (const operation of operations)
    expect(operation.description).toMatch(
      operation['x-idempotency'] === 'safe' ? /Reads only/ : /dempotent: /,
    )
})

test('each property, parameter and header is described', () => {
  const { schemas, headers } = document.components
  const isDescribed = (one: Json) =>
    Boolean(one.description ?? (one.$ref !== undefined && schemas[nameOf(one.$ref)]?.description))
  const properties = [...walk(document)].flatMap(([path, { properties }]) =>
    path.includes('/example') || typeof properties !== 'object' || properties === null
      ? []
      : Object.entries(properties as Record<string, Json>).map(
          ([name, one]) => [`${path}/${name}`, one] as const,
        ),
  )
  expect(properties.length).toBeGreaterThan(250)
  expect(properties.filter(([, one]) => !isDescribed(one)).map(([path]) => path)).toEqual([])
  const others = [...operations.flatMap(({ parameters }) => parameters), ...Object.values(headers)]
  expect(others.filter((one) => !isDescribed(one))).toEqual([])
})

describe('examples', () => {
  test('exist for each request, parameter, response and problem', () => {
    for (const operation of operations) {
      const contents = [
        operation.requestBody,
        ...responsesOf(operation).map(([, response]) => response),
      ].flatMap((one) => Object.values(one?.content ?? {}))
      for (const { example, examples } of contents)
        expect(example ?? examples, operation.operationId).toBeDefined()
      for (const { name, example } of operation.parameters)
        expect([operation.operationId, name, example]).not.toContain(undefined)
    }
  })

  test('have realistic values everywhere', () => {
    const examples = operations.flatMap(({ requestBody, responses }) =>
      [requestBody, responses[200]].flatMap((one) =>
        Object.values(one?.content ?? {}).map(({ example }) => JSON.stringify(example)),
      ),
    )
    expect(examples.length).toBeGreaterThan(60)
    for (const example of examples)
      expect(example).not.toMatch(/"string"|9007199254740991|undefined|\[null\]/)
    // JSON leaves out what has no example: what is required has to be there
    for (const { operationId, requestBody, responses } of operations)
      for (const { schema, example } of [requestBody, responses[200]].flatMap((one) =>
        Object.values(one?.content ?? {}),
      ))
        if (schema.type !== 'string') expect(findMissing(schema, example), operationId).toEqual([])
  })

  test('are what the endpoints accept and return', () => {
    for (const endpoint of declared) {
      const operation = document.paths[endpoint.path.replace(/:(\w+)/g, '{$1}')]?.[endpoint.method]
      const request = operation?.requestBody?.content['application/json']?.example
      const answer = Object.values(operation?.responses[endpoint.response.status]?.content ?? {})[0]?.example
      if (endpoint.body) expect(endpoint.body.safeParse(request).error, endpoint.path).toBeUndefined()
      expect(endpoint.response.schema?.safeParse(answer).error, endpoint.path).toBeUndefined()
      const query = Object.fromEntries(
        (operation?.parameters ?? [])
          .filter((one) => one.in === 'query')
          .map(({ name, example }) => [name, example]),
      )
      if (endpoint.query) expect(endpoint.query.safeParse(query).error, endpoint.path).toBeUndefined()
    }
    const { examples = [] } = document.components.schemas.ScorecardDefinition as { examples?: unknown[] }
    expect(Scorecard.safeParse(examples[0]).error).toBeUndefined()
  })
})

/** Required members that an example lacks. */
function findMissing(schema: Json, example: unknown, path = ''): string[] {
  if (schema.$ref !== undefined)
    return findMissing(document.components.schemas[nameOf(schema.$ref)] as Json, example, path)
  if (Array.isArray(example))
    return example.flatMap((item, at) => findMissing((schema.items ?? {}) as Json, item, `${path}/${at}`))
  if (typeof example !== 'object' || example === null) return []
  const { required = [], properties = {} } = schema as {
    required?: string[]
    properties?: Record<string, Json>
  }
  return [
    ...required.filter((name) => !(name in example)).map((name) => `${path}/${name}`),
    ...Object.entries(example).flatMap(([name, value]) =>
      properties[name] ? findMissing(properties[name], value, `${path}/${name}`) : [],
    ),
  ]
}

test('each response declares its headers', () => {
  for (const operation of operations)
    for (const [status, { headers }] of responsesOf(operation)) {
      const expected = { 401: 'WWW-Authenticate', 405: 'Allow', 429: 'Retry-After', 503: 'Retry-After' }[
        status
      ]
      const common = expected === undefined ? ['X-Request-Id'] : ['X-Request-Id', expected]
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(common))
    }
})

test('the described headers are those that are sent', async () => {
  const service = await startService({ worker: false })
  const wrongMethod = await call(service.url, 'POST', '/features')
  expect(wrongMethod.headers.get('allow')).toBe(document.components.headers.Allow?.example)
  const noCredential = await call(service.url, 'GET', '/api/users/v1')
  expect(noCredential.headers.get('www-authenticate')).toBe(
    document.components.headers['WWW-Authenticate']?.example,
  )
  await service.stop()
})

test('the titles of problems are a closed list', () => {
  const { properties } = document.components.schemas.ProblemDetails as { properties: Record<string, Json> }
  expect(properties.title?.enum).toEqual(PROBLEM_CODES)
})

test('each operation declares the problems of every request', () => {
  for (const { operationId, responses } of operations)
    expect(Object.keys(responses), operationId).toEqual(
      expect.arrayContaining(['400', '405', '408', '417', '431', '500', '503']),
    )
})

test('responses may get more members: none of their objects forbids others', () => {
  const closed = [...walk(document)].filter(([, { additionalProperties }]) => additionalProperties === false)
  expect(closed.map(([path]) => path)).toEqual([])
})

test('scores and fragments have named schemas, and data, codes and dates a pattern', () => {
  const { schemas } = document.components
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining([
      ...['Score', 'Fragment', 'PermissionFragment', 'DeviceInfoFragment', 'VelocityFragment'],
      ...['VelocityWindowsFragment', 'UploadRequest', 'DatasetInsight', 'InsightsByCode'],
    ]),
  )
  const propertyOf = (schema: string, name: string) =>
    (schemas[schema]?.properties as Record<string, Json> | undefined)?.[name]
  expect(propertyOf('UploadRequest', 'data')?.pattern).toBeDefined()
  expect(propertyOf('Score', 'code')?.pattern).toBeDefined()
  expect(propertyOf('UploadReceipt', 'uploadDate')?.pattern).toBeDefined()
})
