import cluster from 'node:cluster'
import type { Logger } from 'pino'

/**
 * Waits until the process is asked to end, by SIGTERM or SIGINT, and lets it take no more than so many seconds from then.
 *
 * A process of a cluster is asked to by the end of its primary too.
 *
 * Signals are listened to for good: a PaaS may send its signal twice, and the second one would end the process at once.
 */
export async function waitForShutdown(log: Logger, drainSeconds: number, ready: () => void): Promise<void> {
  const { promise: asked, resolve: ask } = Promise.withResolvers<NodeJS.Signals | 'disconnect'>()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, ask)
  const { worker } = cluster
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true // else node ends it at once, in the middle of its requests
    ask('disconnect')
  })
  ready()
  log.info({ signal: await asked }, 'draining')
  setTimeout(() => {
    log.warn('not done within DRAIN_SECONDS')
    process.exit(1)
  }, drainSeconds * 1_000).unref()
}
