import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type Contract,
  contractOf,
  type Operation,
  type Schema,
  writeContract,
} from '../../scripts/versions/contract.ts'
import { findBreaks } from '../../scripts/versions/find-breaks.ts'
import { listUnannounced } from '../../scripts/versions/list-unannounced.ts'
import { acceptContract, currentContract, lastContract } from '../../scripts/versions/released.ts'
import { PROJECT } from '../support/start-process.ts'

const TODAY = '2026-11-23'

describe('the interface of the last release', () => {
  test('keeps its promises; docs/versioning.md says what may change, and scripts/make-release accepts a new one', async () => {
    const released = lastContract(PROJECT)
    if (!released) throw new Error('docs/api has no contract')
    const current = await currentContract()
    expect(findBreaks(released, current, new Date().toISOString().slice(0, 10))).toEqual([])
    const unannounced = listUnannounced(
      released,
      current,
      readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8'),
    )
    expect(unannounced, 'name these paths in the first section of CHANGELOG.md').toEqual([])
    expect(JSON.parse(writeContract(current))).toEqual(JSON.parse(JSON.stringify(current)))
  })

  test('is accepted by a release when its file is written, and only without breaks', async () => {
    const project = mkdtempSync(join(tmpdir(), 'inkling-contract-'))
    mkdirSync(join(project, 'docs/api'), { recursive: true })
    const current = await currentContract()
    const file = `docs/api/openapi-${current.version}.json`
    const written = `${file} has changed and was written: commit it, then run this again`
    await expect(acceptContract(project, false)).rejects.toThrow(written)
    await acceptContract(project, false)
    expect(lastContract(project)).toEqual(JSON.parse(JSON.stringify(current)))

    const later = { ...current, operations: { ...current.operations, 'GET /gone': anOperation() } }
    writeFileSync(join(project, 'docs/api/openapi-0.0.9.json'), '{}')
    writeFileSync(join(project, file), writeContract(later))
    await expect(acceptContract(project, false)).rejects.toThrow('GET /gone was removed')
    await expect(acceptContract(project, true)).rejects.toThrow(written)
    rmSync(project, { recursive: true })
  })
})

const anOperation = (changes: Partial<Operation> = {}): Operation => ({
  operationId: 'readThing',
  scope: 'datasets:read',
  security: ['key'],
  parameters: { 'query:limit': { required: false, schema: { type: 'integer', maximum: 100, default: 20 } } },
  body: { $ref: '#/components/schemas/Order' },
  responses: { 200: { 'application/json': { $ref: '#/components/schemas/Thing' } } },
  headers: ['X-Request-Id'],
  problems: { not_found: 404 },
  ...changes,
})

const ORDER: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 100 },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    color: { type: 'string', enum: ['red', 'green'] },
    parts: { type: 'array', items: { $ref: '#/components/schemas/Order' } },
  },
}

const THING: Schema = {
  type: 'object',
  required: ['id', 'state'],
  properties: {
    id: { type: 'integer' },
    state: { type: 'string', enum: ['open', 'closed'] },
    at: { type: 'string', pattern: '^\\d+$' },
    any: {},
    more: { type: 'object', additionalProperties: { type: 'string' } },
  },
}

const aContract = ({
  operation = anOperation(),
  order = ORDER,
  thing = THING,
  path = 'GET /things',
} = {}): Contract => ({
  version: '1.0.0',
  operations: { [path]: operation },
  schemas: { Order: order, Thing: thing },
})

const withMember = (schema: Schema, name: string, member: Schema): Schema => ({
  ...schema,
  properties: { ...schema.properties, [name]: member },
})

const without = (schema: Schema, name: string): Schema => {
  const { [name]: _, ...properties } = schema.properties ?? {}
  return { ...schema, properties }
}

describe('breaks', () => {
  test.each<[string, Parameters<typeof aContract>[0], string]>([
    ['a removed operation', { path: 'GET /others' }, 'GET /things was removed'],
    [
      'a credential',
      { operation: anOperation({ security: ['login'] }) },
      'GET /things no longer accepts the credential key',
    ],
    [
      'a name of an operation',
      { operation: anOperation({ operationId: 'x' }) },
      'GET /things has another operationId, x',
    ],
    [
      'another scope',
      { operation: anOperation({ scope: 'datasets:delete' }) },
      'GET /things requires another scope, datasets:delete',
    ],
    [
      'a removed parameter',
      { operation: anOperation({ parameters: {} }) },
      'GET /things query:limit was removed',
    ],
    [
      'a required parameter',
      {
        operation: anOperation({
          parameters: { ...anOperation().parameters, 'query:x': { required: true, schema: {} } },
        }),
      },
      'GET /things now requires query:x',
    ],
    [
      'a lower maximum and another default',
      {
        operation: anOperation({
          parameters: {
            'query:limit': { required: false, schema: { type: 'integer', maximum: 50, default: 10 } },
          },
        }),
      },
      'GET /things query:limit has another default',
    ],
    [
      'a removed response',
      { operation: anOperation({ responses: { 204: {} } }) },
      'GET /things no longer answers 200',
    ],
    [
      'a removed header',
      { operation: anOperation({ headers: [] }) },
      'GET /things no longer sends the header X-Request-Id',
    ],
    [
      'another status',
      { operation: anOperation({ problems: { not_found: 410 } }) },
      'GET /things answers not_found with status 410',
    ],
    [
      'a required member',
      { order: { ...ORDER, required: ['name', 'note'] } },
      'Order in a request now requires note',
    ],
    [
      'a shorter text',
      { order: withMember(ORDER, 'name', { type: 'string', maxLength: 99 }) },
      'Order in a request.name has a narrower maxLength',
    ],
    [
      'null no longer accepted',
      { order: withMember(ORDER, 'note', { type: 'string' }) },
      'Order in a request.note no longer accepts null',
    ],
    [
      'a value no longer accepted',
      { order: withMember(ORDER, 'color', { type: 'string', enum: ['red'] }) },
      'Order in a request.color no longer accepts the value "green"',
    ],
    [
      'a text narrowed to values',
      { order: withMember(ORDER, 'name', { const: 'x' }) },
      'Order in a request.name accepts only listed values',
    ],
    ['a member of a request', { order: without(ORDER, 'note') }, 'Order in a request.note was removed'],
    ['a member of a response', { thing: without(THING, 'at') }, 'Thing in a response.at was removed'],
    [
      'a member that may be absent',
      { thing: { ...THING, required: ['id'] } },
      'Thing in a response may now lack state',
    ],
    [
      'a value of a response',
      { thing: withMember(THING, 'state', { type: 'string', enum: ['open'] }) },
      'Thing in a response.state no longer has the value "closed"',
    ],
    [
      'null in a response',
      { thing: withMember(THING, 'id', { type: ['integer', 'null'] }) },
      'Thing in a response.id may now be null',
    ],
    [
      'a fraction in a response',
      { thing: withMember(THING, 'id', { type: 'number' }) },
      'Thing in a response.id may now be number',
    ],
    [
      'another pattern',
      { thing: withMember(THING, 'at', { type: 'string' }) },
      'Thing in a response.at has another pattern',
    ],
    [
      'another type within a record',
      { thing: withMember(THING, 'more', { type: 'object', additionalProperties: { type: 'integer' } }) },
      'Thing in a response.more.* may now be integer',
    ],
  ])('%s', (_, changed, expected) => {
    expect(findBreaks(aContract(), aContract(changed), TODAY)).toContain(expected)
  })

  test.each<[string, Parameters<typeof aContract>[0]]>([
    ['another credential', { operation: anOperation({ security: ['key', 'login'] }) }],
    [
      'an optional parameter',
      {
        operation: anOperation({
          parameters: { ...anOperation().parameters, 'query:x': { required: false, schema: {} } },
        }),
      },
    ],
    ['another problem', { operation: anOperation({ problems: { not_found: 404, conflict: 409 } }) }],
    ['an optional member of a request', { order: withMember(ORDER, 'extra', { type: 'string' }) }],
    ['a longer text', { order: withMember(ORDER, 'name', { type: 'string' }) }],
    [
      'one more type in a request',
      {
        order: withMember(ORDER, 'name', {
          anyOf: [{ type: 'string', maxLength: 100 }, { type: 'integer' }],
        }),
      },
    ],
    [
      'a member of a response',
      { thing: withMember({ ...THING, required: ['id', 'state', 'extra'] }, 'extra', { type: 'string' }) },
    ],
    [
      'a value of a response',
      { thing: withMember(THING, 'state', { anyOf: [{ const: 'open' }, { enum: ['closed', 'new'] }] }) },
    ],
    ['a narrower member of a response', { thing: withMember(THING, 'any', { type: 'string' }) }],
  ])('none: %s is added', (_, changed) => {
    expect(findBreaks(aContract(), aContract(changed), TODAY)).toEqual([])
  })

  test('a deprecated operation may be removed from its sunset on', () => {
    const deprecated = (sunset: string) => aContract({ operation: anOperation({ sunset }) })
    const removed = aContract({ path: 'GET /others' })
    expect(findBreaks(deprecated(TODAY), removed, TODAY)).toEqual([])
    expect(findBreaks(deprecated('2026-11-24'), removed, TODAY)).toEqual(['GET /things was removed'])
  })
})

test('the CHANGELOG names each path that was added or removed, or a parent that is new or gone', () => {
  const contract = (...paths: string[]): Contract => ({
    version: '1.0.0',
    operations: Object.fromEntries(paths.map((path) => [`GET ${path}`, anOperation()])),
    schemas: {},
  })
  const before = contract('/api/a/v1', '/api/gone/v1')
  const after = contract('/api/a/v1', '/api/a/v1/{id}/new', '/api/b/v1', '/api/b/v1/{id}')
  const changelog = (text: string) =>
    `# Changelog\n\n## 0.2.0 (unreleased)\n\n${text}\n\n## 0.1.0\n\n/api/a/v1/{id}/new /api/gone/v1`
  expect(listUnannounced(before, after, changelog('`/api/a/v1` and `/api/b/v1x`'))).toEqual([
    ...['/api/a/v1/{id}/new', '/api/b/v1', '/api/b/v1/{id}', '/api/gone/v1'],
  ])
  expect(
    listUnannounced(before, after, changelog('`GET /api/a/v1/:id/new`, `/api/b/v1`; no `/api/gone/v1`')),
  ).toEqual([])
})

test('a contract has no texts, and the statuses of problems', () => {
  const described = { description: 'x', examples: ['x'], type: 'string' }
  const { operations, schemas } = contractOf({
    info: { version: '1.0.0' },
    paths: {
      '/a': {
        get: {
          operationId: 'a',
          security: [{ key: [] }, { login: [] }],
          parameters: [{ in: 'query', name: 'title', schema: described }],
          responses: {
            200: {
              headers: { A: {} },
              content: { 'application/json': { schema: { properties: { title: described } } } },
            },
            404: { $ref: '#/components/responses/x' },
          },
        },
      },
    },
    webhooks: {
      event: {
        post: {
          operationId: 'receiveEvent',
          security: [],
          parameters: [{ in: 'header', name: 'webhook-id', schema: described }],
          requestBody: { content: { 'application/json': { schema: described } } },
          responses: { '2XX': {} },
        },
      },
    },
    components: {
      schemas: { S: { description: 'x', anyOf: [described] } },
      responses: {
        x: { content: { 'application/problem+json': { schema: {}, examples: { not_found: {} } } } },
      },
    },
  })
  expect(schemas).toEqual({ S: { anyOf: [{ type: 'string' }] } })
  expect(operations['WEBHOOK event']).toMatchObject({
    responses: { message: { 'application/json': { type: 'string' } } },
    headers: ['webhook-id'],
  })
  expect(operations['GET /a']).toEqual({
    operationId: 'a',
    security: ['key', 'login'],
    parameters: { 'query:title': { required: false, schema: { type: 'string' } } },
    responses: { 200: { 'application/json': { properties: { title: { type: 'string' } } } } },
    headers: ['A'],
    problems: { not_found: 404 },
  })
})
