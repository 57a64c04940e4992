import type { Logger } from 'pino'
import type { Db } from '../../db/database.ts'
import { isPassingDatabaseError } from '../../db/database-errors.ts'
import { logErrors } from '../../db/log.ts'
import type { Bell } from '../../db/queue.ts'
import { type Receipt, receiveDatasets, type Upload } from '../../db/receive-datasets.ts'
import { Problem } from '../http/problem.ts'

/** Uploads committed together at most; a job carries as many datasets. */
const MAX_GROUP_ROWS = 128
const MAX_GROUP_BYTES = 8 * 1024 * 1024

/** What may wait for its commit; more is turned away. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024

/** Takes uploads in. */
export interface Intake {
  /**
   * Once this resolves, the upload is committed, or was before, or is refused by its receipt.
   *
   * @throws Problem `overloaded` when too much waits already; what Postgres throws when it is away.
   */
  receive(upload: Upload): Promise<Receipt>
}

interface Waiting {
  readonly upload: Upload
  readonly resolve: (receipt: Receipt) => void
  readonly reject: (error: unknown) => void
}

/**
 * Opens an intake that commits uploads in groups: those that arrive while a commit is under way share the next one.
 *
 * No timer: at idle a group is one upload, under a burst groups grow by themselves. After each commit one job for
 * the group rings for workers; if that fails, the relay rings later.
 */
export function openIntake({ db, bell, log }: { db: Db; bell: Bell; log: Logger }): Intake {
  const onRingError = logErrors(log, 'could not ring; the relay will')
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let flushing = false

  async function flush(): Promise<void> {
    flushing = true
    while (waiting.length > 0) await commit(takeGroup())
    flushing = false
  }

  function takeGroup(): Waiting[] {
    let rows = 0
    let bytes = 0
    for (const { upload } of waiting) {
      if (rows > 0 && (rows >= MAX_GROUP_ROWS || bytes + upload.blob.length > MAX_GROUP_BYTES)) break
      rows++
      bytes += upload.blob.length
    }
    const group = waiting.slice(0, rows)
    waiting = waiting.slice(rows)
    waitingBytes -= bytes
    return group
  }

  async function commit(group: readonly Waiting[]): Promise<void> {
    try {
      const receipts = await receiveDatasets(
        db,
        group.map(({ upload }) => upload),
      )
      for (const [at, { resolve }] of group.entries()) resolve(receipts[at] as Receipt)
      ring(receipts)
    } catch (error) {
      if (group.length === 1 || isPassingDatabaseError(error)) for (const { reject } of group) reject(error)
      else for (const one of group) await commit([one]) // so that one upload cannot fail its neighbours
    }
  }

  function ring(receipts: readonly Receipt[]): void {
    const keys = receipts.flatMap((receipt) => (receipt.outcome === 'received' ? [receipt.key] : []))
    if (keys.length === 0) return
    bell.ring(keys).catch(onRingError)
  }

  return {
    receive(upload) {
      if (waitingBytes + upload.blob.length > MAX_WAITING_BYTES)
        return Promise.reject(new Problem('overloaded'))
      const { promise, resolve, reject } = Promise.withResolvers<Receipt>()
      waiting.push({ upload, resolve, reject })
      waitingBytes += upload.blob.length
      if (!flushing) void flush()
      return promise
    },
  }
}
