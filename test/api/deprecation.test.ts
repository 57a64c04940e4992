import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { describeEndpoints } from '../../api/docs/openapi.ts'
import { endpoint } from '../../api/http/endpoint.ts'
import { handleErrors } from '../../api/http/error-handler.ts'
import { mountEndpoints, type Serving } from '../../api/http/mount-endpoints.ts'
import { Problem } from '../../api/http/problem.ts'
import { identifyRequests } from '../../api/http/request-id.ts'
import type { RequestState } from '../../api/http/request-state.ts'
import { declared } from '../support/client.ts'

const old = endpoint({
  method: 'get',
  path: '/api/old/v1/:name',
  operationId: 'readOld',
  tag: 'Reference',
  summary: 'Returns what is deprecated',
  deprecated: { since: '2026-11-23', sunset: '2027-11-23', successor: '/api/new/v1' },
  credential: { kind: 'none' },
  params: { name: z.string() },
  response: { status: 200, description: 'A name', schema: z.object({ name: z.string() }) },
  problems: ['not_found'],
  act: async ({ params: { name } }) => {
    if (name === 'none') throw new Problem('not_found')
    return { name }
  },
})

let url: string
const server = createServer()

beforeAll(async () => {
  // an endpoint without a credential and a body uses none of the others
  const serving = {
    authenticate: async () => undefined,
    enterMode: () => undefined,
    findAddresses: () => ({}),
    maxBodyBytes: 1_000,
  }
  const app = new Koa<RequestState>()
  app
    .use(identifyRequests)
    .use(handleErrors())
    .use(mountEndpoints([old], serving as unknown as Serving))
  server.on('request', app.callback()).listen(0)
  await once(server, 'listening')
  url = `http://localhost:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

test.each([
  ['a', 200, ''],
  ['none', 404, ', </problems/not_found>; rel="help"'],
])('a deprecated endpoint says so in the response for %s', async (name, status, help) => {
  const answer = await fetch(`${url}/api/old/v1/${name}`)
  expect(answer.status).toBe(status)
  expect(answer.headers.get('deprecation')).toBe('@1795392000')
  expect(answer.headers.get('sunset')).toBe('Tue, 23 Nov 2027 00:00:00 GMT')
  expect(answer.headers.get('link')).toBe(
    `</docs>; rel="deprecation", </api/new/v1>; rel="successor-version"${help}`,
  )
})

test('the OpenAPI document marks it', () => {
  const { paths } = describeEndpoints([old]) as { paths: Record<string, Record<string, object>> }
  expect(paths['/api/old/v1/{name}']?.get).toMatchObject({
    deprecated: true,
    'x-sunset': '2027-11-23',
    description: expect.stringContaining('Deprecated since 2026-11-23; may be removed from 2027-11-23 on.'),
    responses: { 200: { headers: { Sunset: { example: 'Tue, 23 Nov 2027 00:00:00 GMT' } } } },
  })
})

test('deprecated endpoints stay for at least 12 months', () => {
  for (const { path, deprecated } of [old, ...declared]) {
    if (!deprecated) continue
    const earliest = new Date(deprecated.since)
    earliest.setUTCFullYear(earliest.getUTCFullYear() + 1)
    expect(Date.parse(deprecated.sunset), path).toBeGreaterThanOrEqual(earliest.getTime())
  }
})
