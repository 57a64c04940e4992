import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLog } from '../db/runtime/log.ts'
import { waitForShutdown } from '../db/runtime/shutdown.ts'
import type { WebEnv } from './config.ts'

/** Before a process that ended is replaced: doubled from one end to the next, until one has run for longer than the last. */
const PAUSE_MS = { first: 1_000, last: 30_000 }

/**
 * Keeps WEB_CONCURRENCY processes at `main.ts`, which share PORT, until this one is asked to end; then it drains them.
 *
 * One is started before the others, so that what keeps them all from listening is said once; then this ends as it did.
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

  /** @returns whether it had nothing to drain, or did. */
  const superviseOne = async (): Promise<boolean> => {
    let pauseMs = PAUSE_MS.first
    while (!draining.signal.aborted) {
      const startedAt = performance.now()
      const worker = cluster.fork()
      const ending = await untilEnded(worker)
      if (draining.signal.aborted) return ending.code === 0
      if (!everListened) {
        if (ending.code === null) log.fatal(ending, 'Cannot start a process') // one that exits has said why
        process.exit(1)
      }
      if (performance.now() - startedAt > PAUSE_MS.last) pauseMs = PAUSE_MS.first
      log.error({ ended: worker.process.pid, ...ending, pauseMs }, 'a process ended and is replaced')
      await sleep(pauseMs, undefined, { signal: draining.signal }).catch(() => undefined)
      pauseMs = Math.min(2 * pauseMs, PAUSE_MS.last)
    }
    return true
  }

  void waitForShutdown(log, env.DRAIN_SECONDS, () => undefined).then(() => {
    draining.abort()
    signalAll('SIGTERM')
    process.on('exit', () => signalAll('SIGKILL')) // one that is stuck does not see to DRAIN_SECONDS itself
  })
  const first = superviseOne()
  await Promise.race([oneListens.promise, first])
  const drained = await Promise.all([first, ...Array.from({ length: processes - 1 }, superviseOne)])
  log.info('stopped')
  process.exit(drained.every(Boolean) ? 0 : 1)
}

interface Ending {
  readonly code: number | null
  readonly signal: string | null
  readonly err?: Error
}

function untilEnded(worker: Worker): Promise<Ending> {
  return new Promise((resolve) => {
    worker.once('exit', (code, signal) => resolve({ code, signal }))
    worker.on('error', (err) => {
      // else it failed to take a connection, as it died, and its exit follows
      if (worker.process.pid === undefined) resolve({ code: null, signal: null, err })
    })
  })
}

function signalAll(signal: NodeJS.Signals): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
}
