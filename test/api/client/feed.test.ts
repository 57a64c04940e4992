import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FeedOptions, Inkling, type InklingEvent } from '../../../api/client/src/index.ts'

const TIME = '2026-11-23T00:00:00.000Z'
const stored: InklingEvent[] = ['a', 'b', 'c'].map((referenceNumber, at) => ({
  ...{ id: `evt_${at + 1}`, type: 'dataset.ready', timestamp: TIME },
  data: { referenceNumber },
}))

let server: Server
let inkling: Inkling
let queries: Record<string, string>[]
/** Statuses of the next responses; 200 after them. */
let failures: number[]

beforeAll(async () => {
  server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams
    queries.push(Object.fromEntries(query))
    const from = Number(query.get('cursor') ?? 0)
    const status = Number.isNaN(from) ? 400 : (failures.shift() ?? 200)
    const events = stored.slice(from, from + Number(query.get('limit')))
    const cursor = String(from + events.length)
    const page = { events, cursor, hasMore: from + events.length < stored.length }
    const problem = { title: status === 503 ? 'unavailable' : 'validation_failed', status }
    const body = JSON.stringify(status === 200 ? page : problem)
    // like the service: a response without events comes after the wait
    setTimeout(() => response.writeHead(status).end(body), events.length > 0 ? 0 : 20)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  inkling = new Inkling({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: 'ink_x',
  })
})
beforeEach(() => {
  queries = []
  failures = []
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

/** Events and the cursor after each, up to the end of the feed. */
async function readAll(options: FeedOptions, upTo = Number.POSITIVE_INFINITY) {
  const feed = inkling.events(options)
  const seen: [string, string | undefined][] = []
  for await (const { data } of feed) {
    seen.push([data.referenceNumber ?? '', feed.cursor])
    if (seen.length >= upTo) break
  }
  return { seen, cursor: feed.cursor }
}

test('a feed without a wait returns the stored events and ends; its cursor skips no event that is not handled', async () => {
  const { seen, cursor } = await readAll({ waitSeconds: 0, limit: 2, types: ['dataset.ready'] })
  expect(seen).toEqual([
    ['a', undefined],
    ['b', '2'],
    ['c', '3'],
  ])
  expect(cursor).toBe('3')
  expect(queries).toEqual([
    { limit: '2', wait: '0', types: 'dataset.ready' },
    { cursor: '2', limit: '2', wait: '0', types: 'dataset.ready' },
  ])
  expect((await readAll({ cursor: '2', waitSeconds: 0 })).seen).toEqual([['c', '3']])
})

test('a feed waits for the next event, also while the service is unavailable, until its signal is aborted', async () => {
  const controller = new AbortController()
  failures = [503]
  const feed = inkling.events({ cursor: '2', signal: controller.signal })
  const references: unknown[] = []
  for await (const { data } of feed) {
    references.push(data.referenceNumber)
    setTimeout(() => controller.abort(), 50)
  }
  expect(references).toEqual(['c'])
  expect(feed.cursor).toBe('3')
})

test('a feed ends with the error of a request that cannot succeed', async () => {
  await expect(readAll({ cursor: 'of another subscription' })).rejects.toMatchObject({
    title: 'validation_failed',
  })
})
