import { LRUCache } from 'lru-cache'
import { type DrainTime, measureDrain, openDrainScan } from '../../db/monitoring/drain-time.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Time that a measurement answers further requests. */
const CACHED_MS = 1_000

/** Opens a reader of the waiting datasets and the seconds to drain. However many ask, a measurement answers all of them for a second; a failed one, those that wait for it. */
export function openDrainReader(db: Db): () => Promise<DrainTime> {
  const scan = openDrainScan()
  const measured = new LRUCache<'drain', DrainTime>({
    max: 1,
    ttl: CACHED_MS,
    fetchMethod: () => measureDrain(db, scan),
  })
  return () => measured.forceFetch('drain')
}
