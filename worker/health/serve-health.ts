import { metricsPage, type Presented } from '../../db/metrics/metrics-page.ts'
import type { Faults } from '../../db/queue/check-stores.ts'
import { type PageServer, sendJson, servePages } from '../../db/runtime/serve-pages.ts'
import { serviceVersion } from '../../db/runtime/version.ts'

/**
 * Serves `/healthz` (200 and the version while the process answers), `/readyz` (200, or 503 with the reasons) and `/metrics` on all
 * addresses.
 *
 * @throws if the port is in use.
 */
export const serveHealth = (
  port: number,
  {
    listFaults,
    metrics,
    onError,
  }: { listFaults: () => Promise<Faults>; metrics: Presented; onError: (error: unknown) => void },
): Promise<PageServer> =>
  servePages(
    port,
    {
      '/healthz': (response) => sendJson(response, 200, { status: 'ok', version: serviceVersion().version }),
      '/readyz': async (response) => {
        const errors = await listFaults()
        const names = Object.keys(errors)
        if (names.length === 0) return sendJson(response, 200, { status: 'ok' })
        sendJson(response, 503, { title: 'unavailable', detail: `Not ready: ${names.join(' and ')}`, errors })
      },
      ...metricsPage(metrics),
    },
    onError,
  )
