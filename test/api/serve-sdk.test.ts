import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../support/service.ts'

let service: Service
let integrity: Record<string, string>
let version: string

beforeAll(async () => {
  service = await startService({ worker: false })
  integrity = (await (await fetch(`${service.url}/sdk/integrity.json`)).json()) as Record<string, string>
  version = (await import('../../api/sdk/package.json', { with: { type: 'json' } })).default.version
})
afterAll(() => service.stop())

test('pages of any origin load every file of this version, with the hash that integrity.json says, and keep it', async () => {
  expect(Object.keys(integrity)).toEqual(expect.arrayContaining(['inkling.js', 'inkling.mjs', 'react.mjs']))
  for (const [name, hash] of Object.entries(integrity)) {
    const response = await fetch(`${service.url}/sdk/${version}/${name}`)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(`sha384-${createHash('sha384').update(bytes).digest('base64')}`).toBe(hash)
  }
})

test('browsers revalidate v1.js, which is the script of the newest version', async () => {
  const response = await fetch(`${service.url}/sdk/v1.js`)
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(await response.text()).toBe(await (await fetch(`${service.url}/sdk/${version}/inkling.js`)).text())
  const again = await fetch(`${service.url}/sdk/v1.js`, {
    headers: { 'If-None-Match': response.headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' },
  })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test.each([
  ['gzip, deflate', 'gzip'],
  ['gzip, br', 'br'],
  ['identity', null],
])('with Accept-Encoding: %s the encoding is %s', async (accepted, encoding) => {
  const response = await fetch(`${service.url}/sdk/v1.js`, { headers: { 'Accept-Encoding': accepted } })
  expect(response.headers.get('content-encoding')).toBe(encoding)
  expect(await response.text()).toContain('Inkling')
})

test('other files are not found: of another version, types, the manifest, above the folder', async () => {
  for (const name of ['0.0.0/inkling.js', `${version}/index.d.ts`, 'package.json', '..%2fsrc%2findex.ts']) {
    const response = await fetch(`${service.url}/sdk/${name}`, { headers: { Accept: 'text/html' } })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ title: 'route_not_found' })
  }
})
