import { setTimeout } from 'node:timers/promises'
import { listDatasets } from '../../db/datasets/dataset-records.ts'
import { openDatabase } from '../../db/postgres/database.ts'
import { printMessage } from '../cli/print-message.ts'
import { startProgress } from '../cli/progress.ts'
import { StartError } from '../cli/start-error.ts'
import { lastLines } from '../servers/last-lines.ts'

/** Maximum time without progress. */
const TIMEOUT_MS = 60_000

/** Resolves when the worker has processed all datasets. */
export async function waitUntilProcessed(options: {
  databaseUrl: string
  subscriptionId: number
  referenceNumbers: ReadonlySet<string>
  workerLog: string
  signal: AbortSignal
}): Promise<void> {
  const { databaseUrl, subscriptionId, referenceNumbers, workerLog, signal } = options
  const count = referenceNumbers.size
  const db = openDatabase({ url: databaseUrl, poolMax: 2 })
  const countWithStatus = async (status: 'received' | 'invalid') => {
    const datasets = await listDatasets(db, subscriptionId, { status }, count)
    return datasets.filter(({ referenceNumber }) => referenceNumbers.has(referenceNumber)).length
  }
  const progress = startProgress('Processed', count)
  try {
    let [waiting, progressAt] = [count, Date.now()]
    for (;;) {
      const received = await countWithStatus('received')
      if (received < waiting) progressAt = Date.now()
      waiting = received
      progress.update(count - waiting)
      if (waiting === 0) break
      if (Date.now() - progressAt > TIMEOUT_MS)
        throw new StartError(`${waiting} datasets were not processed in time.\n${lastLines(workerLog)}`)
      await setTimeout(100, undefined, { signal })
    }
    progress.finish()
    const invalid = await countWithStatus('invalid')
    if (invalid > 0) printMessage(`${invalid} of them are invalid; list them with scripts/admin dataset list`)
  } finally {
    await db.destroy()
  }
}
