import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { PROBLEMS } from '../../api/http/problem.ts'
import { call, declared } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

type Json = Record<string, unknown>

let service: Service
let document: Json & {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, Json>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security: Record<string, unknown>[]
  readonly parameters: { name: string; in: string; required: boolean; description: string; schema: Json }[]
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Json }> }
  readonly responses: Record<
    string,
    { $ref?: string; description: string; content?: Record<string, { schema: Json }> } | undefined
  >
}

beforeAll(async () => {
  service = await startService({ worker: false })
  document = (await call(service.url, 'GET', '/openapi.json')).body
  for (const { responses } of Object.values(document.paths).flatMap((path) => Object.values(path)))
    for (const [status, response] of Object.entries(responses))
      if (response?.$ref !== undefined)
        responses[status] = resolve(response.$ref) as Operation['responses'][string]
})
afterAll(() => service.stop())

const operationOf = (path: string, method: string): Operation => {
  const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method]
  if (!operation) throw new Error(`${method} ${path} is not described`)
  return operation
}

/** Every value under a name, anywhere in a JSON value. */
function valuesOf(name: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === name ? [inner] : []),
    ...valuesOf(name, inner),
  ])
}

const resolve = (ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document)

test('the document is OpenAPI 3.1 with the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(document.openapi).toMatch(/^3\.1\.\d$/)
  expect(document.info).toMatchObject({ title: 'Inkling', version })
})

test('the document describes every endpoint, and no other', () => {
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  )
  const expected = declared.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect(described.toSorted()).toEqual(expected.toSorted())
})

test('the document has the endpoints of the interface', () => {
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/api/account/v1/login',
      '/api/datasets/v1/upload',
      '/api/datasets/v1/additionalinfo',
      '/v6.0/datasets/{referenceNumber}/datasetinsight',
    ]),
  )
})

test('all references of the document resolve', () => {
  const refs = valuesOf('$ref', document) as string[]
  expect(refs.length).toBeGreaterThan(10)
  expect(refs.filter((ref) => resolve(ref) === undefined)).toEqual([])
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path)))
    for (const scheme of operation.security.flatMap((one) => Object.keys(one)))
      expect(document.components.securitySchemes).toHaveProperty(scheme)
})

test('the document names every operation once, with a summary', () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { summary } of operations) expect(summary.length).toBeGreaterThan(10)
})

test('the document declares the path parameters and responses of each endpoint', () => {
  for (const { method, path, response: answer } of declared) {
    const operation = operationOf(path, method)
    const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1])
    expect(operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(names)
    expect(operation.responses[answer.status]).toBeDefined()
    for (const [status, response] of Object.entries(operation.responses))
      if (Number(status) >= 400)
        expect(Object.keys(response?.content ?? {})).toEqual(['application/problem+json'])
  }
})

test('the document declares the problems of each operation, and all problems are used', () => {
  const titles = new Set(
    Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap((response) =>
        [...(response?.description.matchAll(/`(\w+)`:/g) ?? [])].map(([, title]) => title),
      ),
  )
  const all = Object.keys(PROBLEMS).filter((title) => title !== 'route_not_found') // of paths without operations
  expect([...titles].toSorted()).toEqual(all.toSorted())
  expect(operationOf('/api/account/v1/login', 'post').responses['400']?.description).toContain(
    'subscription_suspended',
  )
  expect(operationOf('/api/datasets/v1/upload', 'post').responses['403']?.description).toContain(
    'subscription_suspended',
  )
})

test("the document's schemas accept valid uploads and reject invalid ones, and its examples are valid", () => {
  const { $ref } =
    operationOf('/api/datasets/v1/upload', 'post').requestBody?.content['application/json']?.schema ?? {}
  const schema = resolve(String($ref)) as Json
  const Upload = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema)
  expect(Upload.safeParse({ referenceNumber: 'a', data: 'AAAA' }).success).toBe(true)
  expect(Upload.safeParse({ data: 'AAAA' }).success).toBe(false)
  for (const data of ['AA==', 'AA', 'A-_/', ' AA\nAA '])
    expect(Upload.safeParse({ referenceNumber: 'a', data }).success).toBe(true)
  for (const data of ['', 'A', ' ', 'A*AA', '=AAA'])
    expect(Upload.safeParse({ referenceNumber: 'a', data }).success).toBe(false)
  expect(Upload.safeParse({ referenceNumber: 'x'.repeat(101), data: 'AAAA' }).success).toBe(false)
  const properties = Object.values((schema?.properties ?? {}) as Record<string, Json>)
  const exemplified = properties.filter(({ examples }) => examples !== undefined)
  expect(exemplified.length).toBeGreaterThanOrEqual(3)
  for (const property of exemplified)
    for (const example of property.examples as unknown[])
      expect(z.fromJSONSchema(property as z.core.JSONSchema.JSONSchema).safeParse(example).success).toBe(true)
})
