import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { webEnv } from '../../api/config.ts'
import { type FindAddresses, openAddresses } from '../../api/http/addresses.ts'
import { requestRaw } from '../support/raw-request.ts'

/** Finds the addresses of each request, whose peer is 127.0.0.1. */
let findAddresses: FindAddresses
const server = createServer((request, response) => {
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(findAddresses(request)))
})

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => server.close())

/** Trusts the proxies of a platform by its settings. */
function behind(TRUSTED_PROXIES: string, CLIENT_ADDRESS_HEADER?: string): void {
  const set = webEnv({}).parse({
    DATABASE_URL: 'postgres://x/y',
    TRUSTED_PROXIES,
    ...(CLIENT_ADDRESS_HEADER && { CLIENT_ADDRESS_HEADER }),
  })
  findAddresses = openAddresses(set.TRUSTED_PROXIES, set.CLIENT_ADDRESS_HEADER)
}

async function forwardedOf(headers: Record<string, string | string[]>): Promise<string | undefined> {
  const { port } = server.address() as AddressInfo
  const { body } = await requestRaw(`http://127.0.0.1:${port}`, { headers }, (request) => request.end())
  expect(body.address).toBe(body.forwardedAddress ?? '127.0.0.1')
  return body.forwardedAddress
}

describe('X-Forwarded-For, behind routers with private addresses', () => {
  const read = (value: string | string[]) => forwardedOf({ 'X-Forwarded-For': value })
  beforeAll(() => behind('private', 'X-Forwarded-For'))

  test.each([
    ['the only one', '203.0.113.7', '203.0.113.7'],
    ['the last one, whatever the client sent', '198.51.100.1, 127.0.0.1,203.0.113.7', '203.0.113.7'],
    ['the one before trusted proxies', '198.51.100.1, 203.0.113.7, 10.0.0.2, fd00::2', '203.0.113.7'],
    ['that of IPv6', '198.51.100.1, 2001:db8::7', '2001:db8::7'],
    ['without its port', '203.0.113.7:4711, 10.0.0.2:80', '203.0.113.7'],
    ['that of IPv6 without its port', '[2001:db8::7]:4711', '2001:db8::7'],
    ['that of IPv4 within IPv6 as IPv4', '198.51.100.1, ::ffff:203.0.113.7', '203.0.113.7'],
    ['of a request of a proxy, the first', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ])('names the client: %s', async (_, value, client) => {
    expect(await read(value)).toBe(client)
  })

  test.each([
    ['is empty', ''],
    ['ends with something else', '203.0.113.7, unknown'],
    ['has something else behind the proxies', 'evil, 10.0.0.2'],
    ['ends with a comma', '203.0.113.7,'],
    ['is no address', '203.0.113.256'],
    ['has more than 20 proxies', `203.0.113.7${', 10.0.0.2'.repeat(20)}`],
  ])('names nobody if it %s', async (_, value) => {
    expect(await read(value)).toBeUndefined()
  })

  test('names nobody if there are several: a router that appends to the first passes the second on', async () => {
    expect(await read(['198.51.100.1, 203.0.113.7', '192.0.2.66'])).toBeUndefined()
  })

  test('is the only header that is read', async () => {
    expect(await forwardedOf({ 'X-Real-IP': '192.0.2.66' })).toBeUndefined()
    expect(await forwardedOf({ 'X-Real-IP': '192.0.2.66', 'x-forwarded-for': '203.0.113.7' })).toBe(
      '203.0.113.7',
    )
  })
})

describe('a header with one address', () => {
  beforeAll(() => behind('private', 'Fly-Client-IP'))

  test('names the client', async () => {
    const spoofed = { 'X-Forwarded-For': '192.0.2.66', 'X-Real-IP': '192.0.2.66' }
    expect(await forwardedOf({ ...spoofed, 'fly-client-ip': '2001:db8::7' })).toBe('2001:db8::7')
  })

  test('names nobody if it has several, or something else', async () => {
    for (const value of ['203.0.113.7, 192.0.2.66', 'unknown', '[2001:db8::7', '203.0.113.7:99999999'])
      expect(await forwardedOf({ 'Fly-Client-IP': value })).toBeUndefined()
    expect(await forwardedOf({ 'Fly-Client-IP': ['203.0.113.7', '192.0.2.66'] })).toBeUndefined()
  })
})

test('is X-Real-IP unless another one is named', async () => {
  behind('127.0.0.1')
  const spoofed = { 'X-Forwarded-For': '192.0.2.66' }
  expect(await forwardedOf({ ...spoofed, 'X-Real-IP': '203.0.113.7' })).toBe('203.0.113.7')
  expect(await forwardedOf(spoofed)).toBeUndefined()
})

test.each([['X-Real-IP'], ['X-Forwarded-For'], ['Fly-Client-IP']])(
  '%s of a peer that is no trusted proxy names nobody',
  async (header) => {
    for (const proxies of ['', '10.0.0.0/8', '203.0.113.7']) {
      behind(proxies, header)
      expect(await forwardedOf({ [header]: '203.0.113.7' })).toBeUndefined()
    }
  },
)
