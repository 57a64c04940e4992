import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { beforeAll, vi } from 'vitest'
import type { Segment } from '../../../api/sdk/src/wire.ts'
import type { CollectionLevel } from '../../../db/collections/collections.ts'
import { addSiteKey } from '../site-keys.ts'
import { startTestStack, type TestStack } from '../test-stack.ts'

/** Timeout of a test: two cores may run several browsers. */
const BROWSER_MS = 180_000

/** The way of one visitor to the service, as a proxy under the lender's own domain: it can fail, and keeps what passes. */
export interface Route {
  /** Address of the collection endpoint for this visitor, on the page's own origin. */
  readonly endpoint: string
  /** `cut` closes each connection without an answer; a number is the status of each answer. */
  failure: 'cut' | 503 | undefined
  /** What the browser sent, as texts: addresses, headers and bodies, inflated. */
  readonly sent: string[]
  /** Nonces of the collections that the browser has tried to open. */
  readonly nonces: Set<string>
}

/** A lender's web site whose pages capture themselves, and the service on real processes. */
export interface CaptureSite {
  readonly stack: Pick<TestStack, 'db' | 'env' | 'tenant'>
  /** Has the origin that the site keys allow. */
  readonly url: string
  /** Address of the service itself. */
  readonly serviceUrl: string
  readonly keys: Record<CollectionLevel, string>
  /** Serves HTML under `/page/<name>`, with a strict policy; `NONCE` in it is replaced by that of the policy. */
  readonly pages: Map<string, string>
  openRoute(): Route
  /** Reads what the service has stored of the collections that came by this route, in the order of opening. */
  listStored(route: Route): Promise<StoredCollection[]>
}

/** What is stored of a collection. */
export interface StoredCollection {
  readonly id: string
  readonly completed: boolean
  /** Numbers of its segments in order. */
  readonly numbers: number[]
  readonly segments: Segment[]
  readonly events: Segment['events']
}

/** Nothing but scripts with the nonce, and what they load, and the browser's icon; no text becomes code or markup. */
const STRICT_POLICY = (nonce: string, service: string) =>
  `default-src 'none'; script-src 'nonce-${nonce}' 'strict-dynamic'; connect-src 'self' ${service}; img-src 'self'; base-uri 'none'; ` +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

let shared: Promise<CaptureSite> | undefined

/** Opens the site that the test files of a Vitest worker share. @returns an object that has its members once hooks run. */
export function withCaptureSite(): CaptureSite {
  vi.setConfig({ testTimeout: BROWSER_MS, hookTimeout: BROWSER_MS })
  const site = {} as CaptureSite
  beforeAll(async () => {
    shared ??= openCaptureSite()
    Object.assign(site, await shared)
  })
  return site
}

async function openCaptureSite(): Promise<CaptureSite> {
  const stack = await startTestStack()
  const [web] = await Promise.all([stack.startWeb(), stack.startWorker()])
  const pages = new Map<string, string>()
  const routes: Route[] = []

  function respond(incoming: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(incoming.url ?? '/', 'http://site')
    const [, page] = pathname.match(/^\/page\/([\w-]+)/) ?? []
    const [, index, path] = pathname.match(/^\/via\/(\d+)(\/.*)$/) ?? []
    const route = routes[Number(index)]
    if (page !== undefined) {
      const nonce = crypto.randomUUID()
      response.writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': STRICT_POLICY(nonce, web.url),
      })
      response.end((pages.get(page) ?? '').replaceAll('NONCE', nonce))
    } else if (path !== undefined && route) void forward(incoming, response, path + search, route)
    else if (pathname.startsWith('/sdk/')) void forward(incoming, response, pathname)
    else response.writeHead(204).end()
  }

  async function forward(
    incoming: IncomingMessage,
    response: ServerResponse,
    path: string,
    route?: Route,
  ): Promise<void> {
    const { method, headers } = incoming
    const body = await buffer(incoming).catch(() => undefined)
    if (!body) return
    if (route) keep(route, `${method} ${path} ${JSON.stringify(headers)}`, body)
    if (route?.failure === 'cut') incoming.destroy()
    else if (route?.failure) {
      response.writeHead(route.failure, { 'Content-Type': 'application/problem+json', 'Retry-After': '1' })
      response.end('{"title":"overloaded"}')
    } else {
      // a browser that has gone does not take back what it sent
      const onward = request(web.url + path, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      onward.end(body)
    }
  }

  const server = createServer(respond).listen(0, '127.0.0.1')
  server.unref()
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const keyOf = async (level: CollectionLevel) =>
    (
      await addSiteKey(stack.db, {
        ...{ subscriptionId: stack.tenant.subscriptionId, level, origins: [url] },
        ...{ modules: ['graphics'], maxCollectionsPerDay: 100_000 },
      })
    ).key
  return {
    ...{ stack, url, serviceUrl: web.url, pages },
    keys: { open: await keyOf('open'), claimed: await keyOf('claimed'), verified: await keyOf('verified') },
    openRoute() {
      const endpoint = `${url}/via/${routes.length}/c`
      const route: Route = { endpoint, failure: undefined, sent: [], nonces: new Set() }
      routes.push(route)
      return route
    },
    listStored: (route) => listStored(stack, [...route.nonces]),
  }
}

function keep({ sent, nonces }: Route, head: string, body: Buffer): void {
  const text = (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body).toString()
  sent.push(head, text)
  const [, nonce] = text.match(/^\{"v":1,"nonce":"([\w-]+)"/) ?? []
  if (nonce !== undefined) nonces.add(nonce)
}

/** Reads collections with their segments, or once they are datasets with the capture's events. */
async function listStored({ db }: TestStack, nonces: readonly string[]): Promise<StoredCollection[]> {
  const { rows } = await db.raw(
    `select c.public_id, c.completed_at, d.blob,
            array(select s.body from collection_segments s
                   where s.subscription_id = c.subscription_id and s.collection_id = c.id order by s.n) as bodies
       from collections c
       left join datasets d on d.subscription_id = c.subscription_id and d.id = c.dataset_id
      where c.nonce = any(?) order by c.id`,
    [[...nonces]],
  )
  return rows.map(
    (row: { public_id: string; completed_at: Date | null; blob: Buffer | null; bodies: Buffer[] }) => {
      const segments = row.bodies.map((body) => JSON.parse(gunzipSync(body).toString()) as Segment)
      const assembled = row.blob ? JSON.parse(gunzipSync(row.blob).toString()).behaviour.events : []
      return {
        id: row.public_id,
        completed: row.completed_at !== null,
        numbers: segments.map(({ n }) => n),
        segments,
        events: [...assembled, ...segments.flatMap(({ events }) => events)],
      }
    },
  )
}
