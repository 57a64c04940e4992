import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { Segment } from '../../../api/sdk/src/wire.ts'

/** A request of the SDK, as it arrived. */
export interface Recorded {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly gzipped: boolean
  readonly text: string
}

/** What the server has of one collection. */
export interface Stored {
  readonly nonce: string
  readonly opening: Record<string, unknown>
  /** By number; the first one counts. */
  readonly segments: Map<number, Segment>
  ended?: 'complete' | 'withdraw'
}

/** The answers of a collection endpoint, for pages of a browser: it keeps what they send. */
export interface CollectionServer extends AsyncDisposable {
  readonly url: string
  readonly requests: Recorded[]
  readonly collections: Map<string, Stored>
  /** HTML of `/page`. */
  html: string
  /** While set, every request of the SDK is answered with this status and Retry-After. */
  failure: { status: number; retryAfterSeconds?: number; title?: string } | undefined
  /** Events of all collections, in the order of their segments. */
  events(): Segment['events']
}

const TYPES: Record<string, string> = { mjs: 'text/javascript', js: 'text/javascript', html: 'text/html' }

/** @param dist folder of the built SDK, served under `/sdk/` */
export async function openCollectionServer(dist: string): Promise<CollectionServer> {
  const requests: Recorded[] = []
  const collections = new Map<string, Stored>()
  const server: CollectionServer = {
    url: '',
    requests,
    collections,
    html: '',
    failure: undefined,
    events: () =>
      [...collections.values()].flatMap(({ segments }) =>
        [...segments.values()].toSorted((a, b) => a.n - b.n).flatMap(({ events }) => events),
      ),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }

  function answer({ path, query, text }: Recorded): [status: number, body: unknown] {
    const body = JSON.parse(text)
    if (path === '/c/open') {
      const [known] = [...collections].find(([, { nonce }]) => nonce === body.nonce) ?? []
      const id = known ?? `c_${collections.size}`
      const stored = collections.get(id) ?? { nonce: body.nonce, opening: body, segments: new Map() }
      collections.set(id, stored)
      for (const segment of body.segments ?? [])
        if (!stored.segments.has(segment.n)) stored.segments.set(segment.n, segment)
      return [200, { collection: id, level: 'claimed', referenceNumber: null }]
    }
    const stored = collections.get(query.get('c') ?? '')
    if (!stored) return [404, { title: 'collection_not_found' }]
    const put = (segment: Segment) => {
      if (!stored.segments.has(segment.n)) stored.segments.set(segment.n, segment)
    }
    if (path === '/c') {
      const n = Number(query.get('n'))
      if (stored.ended && !stored.segments.has(n)) return [409, { title: 'collection_closed' }]
      put(body)
      return [200, { n }]
    }
    if (path === '/c/withdraw') {
      stored.ended = 'withdraw'
      stored.segments.clear()
      return [200, {}]
    }
    if (body.last) put(body.last)
    const missing = Array.from({ length: body.segments }, (_, n) => n).filter((n) => !stored.segments.has(n))
    if (missing.length > 0)
      return [409, { title: 'segments_missing', errors: { segments: missing.map(String) } }]
    stored.ended = 'complete'
    return [200, { id: 'd1', referenceNumber: null, uploadDate: null }]
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    if (!pathname.startsWith('/c')) return respondWithFile(pathname, response)
    const bytes = await buffer(request)
    const gzipped = bytes[0] === 0x1f
    const recorded: Recorded = {
      ...{ method: request.method ?? '', path: pathname, query: searchParams, headers: request.headers },
      ...{ gzipped, text: (gzipped ? gunzipSync(bytes) : bytes).toString() },
    }
    requests.push(recorded)
    const { failure } = server
    const [status, body] = failure
      ? [failure.status, { title: failure.title ?? 'unavailable' }]
      : answer(recorded)
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Retry-After',
      ...(failure?.retryAfterSeconds && { 'Retry-After': String(failure.retryAfterSeconds) }),
    })
    response.end(JSON.stringify(body))
  }

  async function respondWithFile(path: string, response: ServerResponse): Promise<void> {
    const file =
      path.startsWith('/sdk/') &&
      (await readFile(join(dist, path.replace(/^\/sdk\/([\d.]+\/)?/, ''))).catch(() => undefined))
    response.writeHead(200, {
      'Content-Type': file
        ? (TYPES[path.split('.').at(-1) ?? ''] ?? 'text/plain')
        : 'text/html; charset=utf-8',
      'Content-Security-Policy':
        "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'self'; require-trusted-types-for 'script'",
    })
    response.end(file || `<!doctype html><meta charset="utf-8"><title>Apply</title>${server.html}`)
  }

  const http = createServer(
    (request, response) => void respond(request, response).catch(() => response.destroy()),
  )
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return Object.assign(server, { url: `http://localhost:${(http.address() as AddressInfo).port}` })
}
