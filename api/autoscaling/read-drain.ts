import { LRUCache } from 'lru-cache'
import { type DrainTime, measureDrain, openDrainScan } from '../../db/monitoring/drain-time.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Time for which further requests get the result of a measurement. */
const CACHED_MS = 1_000

/**
 * Opens a reader of the waiting datasets and the seconds to drain. All requests of a second share one measurement; a failure is shared only by the requests that
 * wait for it.
 */
export function openDrainReader(db: Db): () => Promise<DrainTime> {
  const scan = openDrainScan()
  const measured = new LRUCache<'drain', DrainTime>({
    max: 1,
    ttl: CACHED_MS,
    fetchMethod: () => measureDrain(db, scan),
  })
  return () => measured.forceFetch('drain')
}
