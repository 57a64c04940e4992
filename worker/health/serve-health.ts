import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Faults } from '../../db/queue/check-stores.ts'
import { serviceVersion } from '../../db/runtime/version.ts'
import type { Metrics } from './metrics.ts'

/** HTTP server of a worker for health checks and metrics. */
export interface HealthServer {
  readonly port: number
  close(): void
}

/** Timeout to receive a request, which has no body. */
const REQUEST_MS = 5_000

/**
 * Serves `/healthz` (200 and the version while the process answers), `/readyz` (200, or 503 with the reasons) and `/metrics` on all
 * addresses.
 *
 * @throws if the port is in use.
 */
export async function serveHealth(
  port: number,
  { listFaults, metrics }: { listFaults: () => Promise<Faults>; metrics: Metrics },
): Promise<HealthServer> {
  const pages: Record<string, (response: ServerResponse) => unknown> = {
    '/healthz': (response) => sendJson(response, 200, { status: 'ok', version: serviceVersion().version }),
    '/readyz': async (response) => {
      const errors = await listFaults()
      const names = Object.keys(errors)
      if (names.length === 0) return sendJson(response, 200, { status: 'ok' })
      sendJson(response, 503, { title: 'unavailable', detail: `Not ready: ${names.join(' and ')}`, errors })
    },
    '/metrics': async (response) => {
      const text = await metrics.present()
      response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text)
    },
  }
  const server = createServer(
    { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1_000 },
    async ({ method = '', url = '' }, response) => {
      const page = pages[url.split('?')[0] ?? '']
      if (!page) return sendJson(response, 404, { title: 'route_not_found' })
      if (method !== 'GET' && method !== 'HEAD') {
        response.setHeader('Allow', 'GET, HEAD')
        return sendJson(response, 405, { title: 'method_not_allowed' })
      }
      try {
        await page(response)
      } catch {
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
function sendJson(response: ServerResponse, status: number, members: object): void {
  const body = status < 400 ? members : { type: 'about:blank', status, ...members }
  response
    .writeHead(status, { 'Content-Type': status < 400 ? 'application/json' : 'application/problem+json' })
    .end(JSON.stringify(body))
}
