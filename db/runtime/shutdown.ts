import cluster from 'node:cluster'
import type { Logger } from 'pino'

/**
 * Waits for SIGTERM or SIGINT, and exits the process `drainSeconds` later at the latest. A process of a cluster also stops when its
 * primary ends.
 *
 * The listeners stay: a PaaS may send its signal twice, and the second one would end the process at once.
 */
export async function waitForShutdown(log: Logger, drainSeconds: number, ready: () => void): Promise<void> {
  const { promise: requested, resolve: request } = Promise.withResolvers<NodeJS.Signals | 'disconnect'>()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, request)
  const { worker } = cluster
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true // otherwise node ends it at once, in the middle of its requests
    request('disconnect')
  })
  ready()
  log.info({ signal: await requested }, 'draining')
  setTimeout(() => {
    log.warn('not done within DRAIN_SECONDS')
    process.exit(1)
  }, drainSeconds * 1_000).unref()
}
