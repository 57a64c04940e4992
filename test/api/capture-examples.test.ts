import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PLATFORMS } from '../../db/capture/capture.ts'
import { call, logIn, readByCode, readInsight, upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
})
afterAll(() => service.stop())

const addressOf = (platform: string) => `/schemas/capture-1/examples/${platform}.json`

describe.each(PLATFORMS)('the published example of a capture for %s', (platform) => {
  test('is valid by the published schema, with that platform', async () => {
    const { status, body } = await call(service.url, 'GET', addressOf(platform))
    expect([status, body.format, body.platform]).toEqual([200, 'capture/1', platform])
    const { body: schema } = await call(service.url, 'GET', '/schemas/capture-1.json')
    expect(z.fromJSONSchema(schema).safeParse(body).error).toBeUndefined()
    expect(schema.examples).toContainEqual(body)
    expect(listUnknown(schema, body)).toEqual([])
  })

  test('becomes ready after upload, and has a score', async () => {
    const { body: capture } = await call(service.url, 'GET', addressOf(platform))
    const referenceNumber = `example-${platform}`
    const data = gzipSync(JSON.stringify(capture)).toString('base64')
    expect((await upload(service.url, tenant.uploaderKey, { referenceNumber, data })).status).toBe(200)
    const { status, body } = await readInsight(service.url, await logIn(service.url, tenant), referenceNumber)
    expect([status, body.datasetInfo.source]).toEqual([200, PLATFORMS.indexOf(platform)])
    expect(body.scores.filter(({ value }: { value: number | null }) => value !== null)).not.toEqual([])
  })
})

test('the examples together show most members of the format', async () => {
  const { body: schema } = await call(service.url, 'GET', '/schemas/capture-1.json')
  const all = listMembers(schema)
  const shown = new Set(schema.examples.flatMap((example: unknown) => listShown(schema, example)))
  expect(all.length).toBe(194)
  // the stores forbid media and text messages, which the golden captures of docs/conformance show
  const hidden = all.filter((member) => !shown.has(member) && !/^\.(media|sms)\b/.test(member))
  expect(hidden.length).toBeLessThan(12)
})

test('each member of the format is described', async () => {
  const { body: schema } = await call(service.url, 'GET', '/schemas/capture-1.json')
  expect(listMembers(schema, ({ description = '' }) => description.length < 15)).toEqual([])
})

test('the example upload of the interface document returns 200 unchanged, and its dataset becomes ready', async () => {
  const { body: document } = await call(service.url, 'GET', '/openapi.json')
  const { example } = document.paths['/api/datasets/v1/upload'].post.requestBody.content['application/json']
  for (let times = 0; times < 2; times++)
    expect((await upload(service.url, tenant.uploaderKey, example)).status).toBe(200)
  const { status, body } = await readByCode(service.url, tenant.requesterKey, example.referenceNumber)
  expect([status, body.insights.length]).toEqual([200, 4])
})

interface Schema {
  readonly description?: string
  readonly properties?: Record<string, Schema>
  readonly items?: Schema
  readonly anyOf?: Schema[]
}

/** The paths of all members of a schema, of those that a condition holds for. */
function listMembers(schema: Schema, condition: (one: Schema) => boolean = () => true, path = ''): string[] {
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => [
      ...(condition(one) ? [`${path}.${name}`] : []),
      ...listMembers(one, condition, `${path}.${name}`),
    ]),
    ...[...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])].flatMap((one) =>
      listMembers(one, condition, path),
    ),
  ]
}

/** The paths of the members that a value has, without places in lists. */
const listPaths = (value: unknown, path = ''): string[] =>
  Array.isArray(value)
    ? value.flatMap((item) => listPaths(item, path))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => [
          `${path}.${name}`,
          ...listPaths(inner, `${path}.${name}`),
        ])
      : []

const listShown = (schema: Schema, value: unknown) => {
  const known = new Set(listMembers(schema))
  return listPaths(value).filter((path) => known.has(path))
}

/** Members that the schema does not know; those of accounts.byType are types. */
const listUnknown = (schema: Schema, value: unknown) => {
  const known = new Set(listMembers(schema))
  return listPaths(value).filter((path) => !known.has(path) && !path.startsWith('.accounts.byType.'))
}
