import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** HTTP server of a process for the private network. */
export interface PageServer {
  readonly port: number
  close(): void
}

/** Writes the response to a GET; its path is the key. */
export type Pages = Readonly<Record<string, (response: ServerResponse) => unknown>>

/** Timeout to receive a request, which has no body. */
const REQUEST_MS = 5_000

/**
 * Serves pages on all addresses; other paths and methods are answered by a problem.
 *
 * @param onError is called with the error of a page, which is answered by status 500.
 * @throws if the port is in use.
 */
export async function servePages(
  port: number,
  pages: Pages,
  onError: (error: unknown) => void,
): Promise<PageServer> {
  const byPath = new Map(Object.entries(pages))
  const server = createServer(
    { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1_000 },
    async ({ method = '', url = '' }, response) => {
      const page = byPath.get(url.split('?')[0] ?? '')
      if (!page) return sendJson(response, 404, { title: 'route_not_found' })
      if (method !== 'GET' && method !== 'HEAD') {
        response.setHeader('Allow', 'GET, HEAD')
        return sendJson(response, 405, { title: 'method_not_allowed' })
      }
      try {
        await page(response)
      } catch (error) {
        onError(error)
        if (response.headersSent) response.destroy()
        else sendJson(response, 500, { title: 'internal_error' })
      }
    },
  )
  server.maxConnections = 100
  server.listen(port)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Sends JSON, and errors as problem details like the API. */
export function sendJson(response: ServerResponse, status: number, members: object): void {
  const body = status < 400 ? members : { type: 'about:blank', status, ...members }
  response
    .writeHead(status, { 'Content-Type': status < 400 ? 'application/json' : 'application/problem+json' })
    .end(JSON.stringify(body))
}
