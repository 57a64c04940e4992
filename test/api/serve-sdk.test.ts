import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Koa from 'koa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveSdk } from '../../api/http/serve-sdk.ts'
import { releaseSdk } from '../../api/sdk/build/release-sdk.ts'
import { type Service, startService } from '../support/service.ts'
import { PROJECT } from '../support/start-process.ts'

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

const SDK = join(PROJECT, 'api/sdk')

test('the scripts of a released version stay at their address when a newer one is built, and cannot be replaced', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-sdk-'))
  const folders = { dist: join(directory, 'dist'), released: join(directory, 'released') }
  const buildVersion = async (one: string, change = '') => {
    await cp(join(SDK, 'dist'), folders.dist, { recursive: true })
    await writeFile(join(folders.dist, 'package.json'), JSON.stringify({ version: one }))
    await appendFile(join(folders.dist, 'inkling.js'), change)
  }
  try {
    await buildVersion('8.0.0')
    expect(await releaseSdk(folders)).toBe('8.0.0')
    const released = await readFile(join(folders.dist, 'inkling.js'), 'utf8')
    await buildVersion('8.0.0', '// changed')
    await expect(releaseSdk(folders)).rejects.toThrow('raise the version in api/sdk/package.json')
    await buildVersion('8.1.0', '// changed')
    const app = new Koa().use(serveSdk({ built: folders.dist, released: folders.released }))
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const load = async (path: string) =>
      (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/sdk/${path}`)).text()
    expect(await load('8.0.0/inkling.js')).toBe(released)
    expect(await load('8.1.0/inkling.js')).toBe(`${released}// changed`)
    expect(await load('v1.js')).toBe(`${released}// changed`)
    server.close()
    server.closeAllConnections()
  } finally {
    await rm(directory, { recursive: true })
  }
})

test('if this version is released, its build has the scripts that were released', async () => {
  if (existsSync(join(SDK, 'released', version))) expect(await releaseSdk()).toBe(version)
})
