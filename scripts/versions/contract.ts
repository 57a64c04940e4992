/** A JSON Schema, reduced to the keywords that validate. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly pattern?: string
  readonly format?: string
  readonly default?: unknown
  readonly [bound: string]: unknown
}

/** What clients rely on in an operation. */
export interface Operation {
  readonly operationId: string
  /** Date from which it may be removed, yyyy-mm-dd; only of a deprecated one. */
  readonly sunset?: string
  /** Scope that an API key must have. */
  readonly scope?: string
  /** Names of the accepted kinds of credentials. */
  readonly security: readonly string[]
  /** By place and name, as in `query:limit`. */
  readonly parameters: Readonly<Record<string, { readonly required: boolean; readonly schema: Schema }>>
  readonly body?: Schema
  /** By status and media type; empty for a response without a body. */
  readonly responses: Readonly<Record<string, Readonly<Record<string, Schema>>>>
  /** Names of the headers of the success responses. */
  readonly headers: readonly string[]
  /** Status by title. */
  readonly problems: Readonly<Record<string, number>>
}

/** The part of an OpenAPI document on which clients rely: no texts, no examples. */
export interface Contract {
  readonly version: string
  /** By method and path, as in `GET /features`; messages to receivers of webhooks by `WEBHOOK` and name. */
  readonly operations: Readonly<Record<string, Operation>>
  readonly schemas: Readonly<Record<string, Schema>>
}

type Json = Record<string, unknown>

interface Described {
  readonly operationId: string
  readonly 'x-sunset'?: string
  readonly 'x-required-scope'?: string
  readonly security: readonly Json[]
  readonly parameters: readonly { in: string; name: string; required?: boolean; schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, DescribedResponse>>
}

interface DescribedResponse {
  readonly $ref?: string
  readonly headers?: Json
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly examples?: Json }>>
}

interface Document {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, DescribedResponse>>
  }
}

/** The name of a component to which a reference leads. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

/** Returns the contract of an OpenAPI document of this service. */
export function contractOf(document: object): Contract {
  const { info, paths, webhooks = {}, components } = document as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, described]) =>
        [`${method.toUpperCase()} ${path}`, operationOf(described, components.responses)] as const,
    ),
  )
  const messages = Object.entries(webhooks).flatMap(([name, methods]) =>
    Object.values(methods).map((described) => [`WEBHOOK ${name}`, messageOf(described)] as const),
  )
  return {
    version: info.version,
    operations: sorted(Object.fromEntries([...operations, ...messages])),
    schemas: sorted(mapValues(components.schemas, strip)),
  }
}

/** Returns the text of a contract: one line per operation and schema, so that a diff shows what changed. */
export function writeContract({ version, operations, schemas }: Contract): string {
  const lines = (values: object) =>
    Object.entries(values)
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n')
  return `{"version": ${JSON.stringify(version)},\n"operations": {\n${lines(operations)}\n},\n"schemas": {\n${lines(schemas)}\n}}\n`
}

function operationOf(described: Described, shared: Document['components']['responses']): Operation {
  const { 'x-sunset': sunset, 'x-required-scope': scope } = described
  const body = described.requestBody && Object.values(described.requestBody.content)[0]?.schema
  const responses = Object.entries(described.responses).map(
    ([status, response]) =>
      [status, (response.$ref && shared[nameOf(response.$ref)]) || response] as [string, DescribedResponse],
  )
  const successes = responses.filter(([status]) => Number(status) < 400)
  const problems = responses.filter(([status]) => Number(status) >= 400)
  return {
    operationId: described.operationId,
    ...(sunset !== undefined && { sunset }),
    ...(scope !== undefined && { scope }),
    security: described.security.flatMap((one) => Object.keys(one)),
    parameters: Object.fromEntries(
      described.parameters.map(({ in: place, name, required = false, schema }) => [
        `${place}:${name}`,
        { required, schema: strip(schema) },
      ]),
    ),
    ...(body && { body: strip(body) }),
    responses: Object.fromEntries(
      successes.map(([status, { content = {} }]) => [
        status,
        mapValues(content, ({ schema }) => strip(schema)),
      ]),
    ),
    headers: [...new Set(successes.flatMap(([, { headers = {} }]) => Object.keys(headers)))],
    problems: Object.fromEntries(
      problems.flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ examples = {} }) =>
          Object.keys(examples).map((title) => [title, Number(status)]),
        ),
      ),
    ),
  }
}

/** A message to receivers of webhooks, who read it as a response. */
const messageOf = ({ operationId, parameters, requestBody }: Described): Operation => ({
  operationId,
  security: [],
  parameters: {},
  responses: { message: mapValues(requestBody?.content ?? {}, ({ schema }) => strip(schema)) },
  headers: parameters.map(({ name }) => name),
  problems: {},
})

/** Keywords that say nothing about what is valid. */
const ANNOTATIONS = new Set(['description', 'examples', 'example', 'title', 'id', 'propertyNames'])

function strip(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.has(keyword))
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'properties') return [keyword, mapValues(value as Record<string, Schema>, strip)]
      if (keyword === 'anyOf') return [keyword, (value as Schema[]).map(strip)]
      if (keyword === 'items' || (keyword === 'additionalProperties' && typeof value === 'object'))
        return [keyword, strip(value as Schema)]
      return [keyword, value]
    }),
  )
}

const mapValues = <From, To>(
  record: Readonly<Record<string, From>>,
  map: (one: From) => To,
): Record<string, To> => Object.fromEntries(Object.entries(record).map(([name, one]) => [name, map(one)]))

const sorted = <Value>(record: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
