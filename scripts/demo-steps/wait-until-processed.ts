import { setTimeout } from 'node:timers/promises'
import { listDatasets } from '../../db/datasets/dataset-records.ts'
import { openDatabase } from '../../db/postgres/database.ts'
import { printMessage } from '../cli/print-message.ts'
import { startProgress } from '../cli/progress.ts'
import { StartError } from '../cli/start-error.ts'
import { lastLines } from '../servers/last-lines.ts'

/** The worker may take this long for any one dataset. */
const PATIENCE_MS = 60_000

/** Resolves when the worker has settled every dataset. */
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
  const countThose = async (status: 'received' | 'invalid') => {
    const datasets = await listDatasets(db, subscriptionId, { status }, count)
    return datasets.filter(({ referenceNumber }) => referenceNumbers.has(referenceNumber)).length
  }
  const progress = startProgress('Processed', count)
  try {
    let [waiting, movedAt] = [count, Date.now()]
    for (;;) {
      const stillWaiting = await countThose('received')
      if (stillWaiting < waiting) movedAt = Date.now()
      waiting = stillWaiting
      progress.update(count - waiting)
      if (waiting === 0) break
      if (Date.now() - movedAt > PATIENCE_MS)
        throw new StartError(
          `${waiting} datasets are still waiting to be processed.\n${lastLines(workerLog)}`,
        )
      await setTimeout(100, undefined, { signal })
    }
    progress.finish()
    const invalid = await countThose('invalid')
    if (invalid > 0)
      printMessage(`${invalid} of them could not be decoded; scripts/admin dataset list shows them`)
  } finally {
    await db.destroy()
  }
}
