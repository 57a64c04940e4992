import type { Logger } from 'pino'
import {
  applyDefaultRetention,
  expireBlobs,
  expireDatasets,
  listDueRetention,
} from '../../db/datasets/retention.ts'
import type { Db } from '../../db/postgres/database.ts'
import { runSteps, type Step } from './run-steps.ts'

/** Datasets of one transaction, which locks their rows for about 50 ms. */
const STEP_ROWS = 500

/** Deletes datasets and blobs past the retention of their subscription, in small steps, until none is due or `signal` aborts. */
export async function enforceRetention(
  { db, log }: { db: Db; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  await applyDefaultRetention(db)
  const expired = new Map<string, { subscriptionId: number; step: string; datasets: number }>()
  const stepOf =
    (subscriptionId: number, expire: typeof expireDatasets): Step =>
    async () => {
      const datasets = await expire(db, subscriptionId, STEP_ROWS)
      const key = `${subscriptionId} ${expire.name}`
      const before = expired.get(key)?.datasets ?? 0
      if (datasets > 0) expired.set(key, { subscriptionId, step: expire.name, datasets: before + datasets })
      return datasets === STEP_ROWS
    }
  const due = await listDueRetention(db)
  await runSteps(
    due.flatMap(({ subscriptionId, datasets, blobs }) => [
      ...(datasets ? [stepOf(subscriptionId, expireDatasets)] : []),
      ...(blobs ? [stepOf(subscriptionId, expireBlobs)] : []),
    ]),
    signal,
  )
  for (const one of expired.values()) log.info(one, 'retention')
}
