import pLimit from 'p-limit'
import type { Logger } from 'pino'
import { confirmOwner } from '../../db/object-store/bucket-owner.ts'
import type { ObjectKey } from '../../db/object-store/object-keys.ts'
import type { ObjectStore } from '../../db/object-store/object-store.ts'
import { sweepNext } from '../../db/object-store/orphans.ts'
import { countRemovals, removeListed } from '../../db/object-store/removals.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Objects of one transaction. */
const STEP_OBJECTS = 200

/** Requests to the store at the same time. */
const PARALLEL = 16

/** Steps of one run. */
const MAX_STEPS = 500

type Removing = {
  db: Db
  store: Pick<ObjectStore, 'list' | 'remove' | 'readMark' | 'writeMark'>
  log: Logger
}

/**
 * Removes objects whose rows are gone from object storage, in small steps, until none is due or `signal` aborts. Removes none while the bucket
 * belongs to another database.
 */
export async function removeCaptures({ db, store, log }: Removing, signal: AbortSignal): Promise<void> {
  const due = await countRemovals(db)
  if (due.objects === 0 || !(await confirmOwner(db, store))) return
  let objects = 0
  for (let step = 0; step < MAX_STEPS && !signal.aborted; step++) {
    const removed = await removeListed(db, STEP_OBJECTS, (keys) => removeAll(store, keys))
    objects += removed
    if (removed < STEP_OBJECTS) break
  }
  if (objects > 0) log.info({ objects }, 'removed captures from object storage')
}

/**
 * Removes objects that no row refers to, of days that ended a day ago, in small steps, until `signal` aborts. Removes none, and says so, while the
 * bucket belongs to another database.
 */
export async function sweepCaptures({ db, store, log }: Removing, signal: AbortSignal): Promise<void> {
  if (!(await confirmOwner(db, store)))
    return log.error(
      'The bucket of CAPTURE_STORE_URL belongs to another database: no object is removed from it. If this database is a copy, set another ' +
        'bucket; if it was restored or moved, run `scripts/admin capture-store take-over`',
    )
  let objects = 0
  for (let step = 0; step < MAX_STEPS && !signal.aborted; step++) {
    const { read, removed } = await sweepNext(db, store, (keys) => removeAll(store, keys))
    objects += removed
    if (read === 0) break
  }
  if (objects > 0) log.info({ objects }, 'removed orphans from object storage')
}

function removeAll(store: Pick<ObjectStore, 'remove'>, keys: readonly ObjectKey[]): Promise<unknown> {
  const limit = pLimit(PARALLEL)
  return Promise.all(keys.map((key) => limit(() => store.remove(key))))
}
