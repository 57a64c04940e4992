import type { Logger } from 'pino'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Presented } from '../../db/metrics/metrics-page.ts'
import type { ObjectStore } from '../../db/object-store/object-store.ts'
import type { Db } from '../../db/postgres/database.ts'
import { type Faults, openStoreCheck } from '../../db/queue/check-stores.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { logErrors } from '../../db/runtime/log.ts'
import type { Progress } from './progress.ts'
import { serveHealth } from './serve-health.ts'
import { watchProgress } from './watch-progress.ts'

/** Reports the health of this process. */
export interface Health {
  /** Reports from now on that the process is not ready, because it takes no more jobs. */
  drain(): void
  stop(): Promise<void>
}

/**
 * Watches the progress of this process, and serves its health on a port, if one is given.
 *
 * @throws if the port is in use.
 */
export async function startHealth({
  db,
  vault,
  captures,
  producer,
  log,
  progress,
  metrics,
  stuckMs,
  port,
}: {
  db: Db
  vault: Pick<Vault, 'listFaults'>
  captures: Pick<ObjectStore, 'check'> | undefined
  producer: QueueProducer
  log: Logger
  progress: Progress
  metrics: Presented
  stuckMs: number
  port: number | undefined
}): Promise<Health> {
  const checkStores = openStoreCheck(db, producer, vault, captures)
  let draining = false

  async function listFaults(): Promise<Faults> {
    const stuck = progress.findStuck()
    return {
      ...(draining && { draining: ['takes no more jobs'] }),
      ...(stuck && { stuck: [`${stuck.reason}, for ${stuck.seconds} s`] }),
      ...(await checkStores()),
    }
  }

  const onError = logErrors(log, 'health', 'error')
  const server = port === undefined ? undefined : await serveHealth(port, { listFaults, metrics, onError })
  if (server) log.info({ port: server.port }, 'health is served')
  const watch = watchProgress({ db, producer, progress, log, stuckMs })
  return {
    drain() {
      draining = true
    },
    async stop() {
      await watch.stop()
      server?.close()
    },
  }
}
