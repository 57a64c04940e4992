import { setTimeout as delay } from 'node:timers/promises'
import { type DrainTime, measureDrain, openDrainScan } from '../../db/monitoring/drain-time.ts'
import type { Db } from '../../db/postgres/database.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'
import { Problem } from '../http/problem.ts'

/** Time for which further requests get the result of a measurement, or its failure. */
const CACHED_MS = 1_000

/** Autoscalers wait for 3 s or more. */
const DEADLINE_MS = 2_000

/**
 * Opens a reader of the waiting datasets and the seconds to drain. It measures once a second at most, and once at a time, however many ask.
 *
 * The reader throws Problem `unavailable` while Postgres does not answer, within 2 s.
 */
export function openDrainReader(db: Db): () => Promise<DrainTime> {
  const scan = openDrainScan()
  let measured: Promise<DrainTime> | undefined

  function measure(): Promise<DrainTime> {
    const measuring = measureDrain(db, scan)
    void measuring
      .catch(() => undefined)
      .then(() => delay(CACHED_MS, undefined, { ref: false }))
      .then(() => {
        measured = undefined
      })
    return measuring
  }

  return async () => {
    measured ??= measure()
    try {
      return await withTimeout(DEADLINE_MS, 'Postgres', measured)
    } catch (cause) {
      throw new Problem('unavailable', {
        cause,
        detail: 'Postgres, which holds the waiting datasets, is unavailable',
        retryAfterSeconds: 2,
      })
    }
  }
}
