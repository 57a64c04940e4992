import type { Logger } from 'pino'
import { logErrors } from '../runtime/log.ts'
import { type PageServer, servePages } from '../runtime/serve-pages.ts'
import { metricsPage, type Presented } from './metrics-page.ts'

/** Serves `/metrics` on METRICS_PORT, if there is one; exits the process if the port is in use. */
export async function serveMetrics(
  port: number | undefined,
  metrics: Presented,
  log: Logger,
): Promise<PageServer | undefined> {
  if (port === undefined) return undefined
  try {
    const server = await servePages(port, metricsPage(metrics), logErrors(log, 'metrics', 'error'))
    log.info({ port: server.port }, 'metrics are served')
    return server
  } catch (err) {
    log.fatal({ err }, `Cannot listen on port ${port}`)
    process.exit(1)
  }
}
