import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { openRegistry } from '../db/metrics/open-registry.ts'
import { serveMetrics } from '../db/metrics/serve-metrics.ts'
import { openLog } from '../db/runtime/log.ts'
import { waitForShutdown } from '../db/runtime/shutdown.ts'
import type { WebEnv } from './config.ts'
import { openCollectedMetrics } from './metrics/collect-metrics.ts'

/** Backoff before a process is replaced: doubled after each exit, reset once a process has run for longer than the maximum. */
const BACKOFF_MS = { min: 1_000, max: 30_000 }

/**
 * Runs WEB_CONCURRENCY processes of `main.ts`, which share PORT, until this one is asked to stop; then drains them.
 *
 * The first process starts before the others, so that an error which prevents all from listening is logged once; the
 * supervisor then exits with code 1.
 */
export async function supervise(env: WebEnv): Promise<never> {
  const { WEB_CONCURRENCY: processes } = env
  const log = openLog(env.LOG_LEVEL)
  const draining = new AbortController()
  const oneListens = Promise.withResolvers<void>()
  let everListened = false

  const listening = new Set<Worker>()
  cluster.on('exit', (worker) => listening.delete(worker))
  cluster.on('listening', (worker, { port }) => {
    everListened = true
    oneListens.resolve()
    if (listening.add(worker).size === processes) log.info({ port, processes }, 'all processes listen')
  })

  /** @returns whether the process drained cleanly. */
  const superviseOne = async (): Promise<boolean> => {
    let backoffMs = BACKOFF_MS.min
    while (!draining.signal.aborted) {
      const startedAt = performance.now()
      const worker = cluster.fork()
      const exit = await untilExited(worker)
      if (draining.signal.aborted) return exit.code === 0
      if (!everListened) {
        if (exit.code === null) log.fatal(exit, 'Cannot start a process') // one that exits has logged the reason
        process.exit(1)
      }
      if (performance.now() - startedAt > BACKOFF_MS.max) backoffMs = BACKOFF_MS.min
      log.error(
        { ended: worker.process.pid, ...exit, pauseMs: backoffMs },
        'a process exited and will be replaced',
      )
      await sleep(backoffMs, undefined, { signal: draining.signal }).catch(() => undefined)
      backoffMs = Math.min(2 * backoffMs, BACKOFF_MS.max)
    }
    return true
  }

  void waitForShutdown(log, env.DRAIN_SECONDS, () => undefined).then(() => {
    draining.abort()
    signalAll('SIGTERM')
    process.on('exit', () => signalAll('SIGKILL')) // a stuck process cannot enforce DRAIN_SECONDS itself
  })
  const metrics = await serveMetrics(env.METRICS_PORT, openCollectedMetrics(openRegistry()), log)
  const first = superviseOne()
  await Promise.race([oneListens.promise, first])
  const drained = await Promise.all([first, ...Array.from({ length: processes - 1 }, superviseOne)])
  metrics?.close()
  log.info('stopped')
  process.exit(drained.every(Boolean) ? 0 : 1)
}

interface Exit {
  readonly code: number | null
  readonly signal: string | null
  readonly err?: Error
}

function untilExited(worker: Worker): Promise<Exit> {
  return new Promise((resolve) => {
    worker.once('exit', (code, signal) => resolve({ code, signal }))
    worker.on('error', (err) => {
      // otherwise it failed to accept a connection while dying, and its exit follows
      if (worker.process.pid === undefined) resolve({ code: null, signal: null, err })
    })
  })
}

function signalAll(signal: NodeJS.Signals): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
}
