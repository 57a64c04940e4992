import type { DatasetKey } from '../datasets/dataset-key.ts'
import { WHOLE } from '../limits/limits.ts'
import { addUse } from '../limits/use.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { type CollectionKey, unnestCollections } from './collections.ts'
import { CLAIM_HOURS } from './complete-collections.ts'
import { insertCollectedDatasets } from './insert-datasets.ts'
import { addSiteKeyUse } from './site-key-use.ts'

/** A browser that sent nothing for this long has abandoned its collection. */
const IDLE_MINUTES = 30

interface DueCollection extends CollectionKey {
  readonly siteKeyId: number
  readonly hasNumber: boolean
  readonly hasSegments: boolean
  readonly idle: boolean
  readonly expired: boolean
}

/**
 * Closes up to `limit` collections that no browser completed: one with a reference number and segments becomes a dataset after
 * 30 minutes without a segment, one without segments is erased then, and one that nobody claimed is erased 24 hours after it
 * was opened.
 *
 * Datasets count as use of today, and are made also beyond a limit: what was accepted is never lost.
 *
 * Safe in several workers at once: they skip rows that another one has locked.
 *
 * @returns the number of collections it checked and of those it erased, and the new datasets, which the caller enqueues.
 */
export async function closeDueCollections(
  db: Db,
  limit: number,
): Promise<{ checked: number; erased: number; datasets: DatasetKey[] }> {
  const closed = await db.transaction(async (trx) => {
    const due = await lockDue(trx, limit)
    const abandoned = due.filter(({ hasNumber, hasSegments, idle }) => hasNumber && hasSegments && idle)
    const datasets = await insertCollectedDatasets(trx, abandoned)
    const names = new Set(
      datasets.map(({ subscriptionId, collectionId }) => `${subscriptionId} ${collectionId}`),
    )
    const [inserted, left] = split(due, ({ subscriptionId, id }) => names.has(`${subscriptionId} ${id}`))
    const [spent, waiting] = split(
      left,
      ({ hasSegments, idle, expired }) => expired || (idle && !hasSegments),
    )
    await erase(trx, spent)
    await postpone(trx, waiting)
    return { due, datasets, spent, ended: [...inserted, ...spent] }
  })
  const bySiteKey = Map.groupBy(
    closed.ended,
    ({ subscriptionId, siteKeyId }) => `${subscriptionId} ${siteKeyId}`,
  )
  await addSiteKeyUse(
    db,
    [...bySiteKey.values()].flatMap(([first, ...others]) =>
      first ? [{ ...first, abandoned: 1 + others.length }] : [],
    ),
  )
  const bySubscription = Map.groupBy(closed.datasets, ({ subscriptionId }) => subscriptionId)
  await addUse(
    db,
    [...bySubscription].map(([subscriptionId, { length: datasets }]) => ({
      ...{ subscriptionId, keyId: WHOLE, requests: 0, datasets, bytes: 0 },
    })),
  )
  return {
    checked: closed.due.length,
    erased: closed.spent.length,
    datasets: closed.datasets.map(({ subscriptionId, datasetId }) => ({ subscriptionId, id: datasetId })),
  }
}

function split<Item>(items: readonly Item[], matches: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(matches), items.filter((item) => !matches(item))]
}

async function lockDue(trx: Db, limit: number): Promise<DueCollection[]> {
  return queryRows(
    trx,
    sql`select c.subscription_id as "subscriptionId", c.id, c.site_key_id as "siteKeyId",
               c.reference_number is not null as "hasNumber",
               c.segments > 0 as "hasSegments",
               greatest(c.opened_at, s.last_at) <= now() - make_interval(mins => ${IDLE_MINUTES}) as idle,
               c.opened_at <= now() - make_interval(hours => ${CLAIM_HOURS}) as expired
        from collections c
        cross join lateral (
          select max(received_at) as last_at from collection_segments
          where subscription_id = c.subscription_id and collection_id = c.id
        ) s
        where c.due_at <= now() order by c.due_at limit ${limit} for update of c skip locked`,
  )
}

/** Erases collections with their segments. */
async function erase(trx: Db, keys: readonly CollectionKey[]): Promise<void> {
  if (keys.length === 0) return
  await queryRows(
    trx,
    sql`delete from collections c using ${unnestCollections(keys)}
        where c.subscription_id = k.subscription_id and c.id = k.id`,
  )
}

/** Checks a collection again once it may be idle or, without a reference number, once nobody may claim it any more. */
async function postpone(trx: Db, keys: readonly CollectionKey[]): Promise<void> {
  if (keys.length === 0) return
  await queryRows(
    trx,
    sql`update collections c
        set due_at = least(
          c.opened_at + make_interval(hours => ${CLAIM_HOURS}),
          now() + make_interval(mins => ${IDLE_MINUTES}))
        from ${unnestCollections(keys)}
        where c.subscription_id = k.subscription_id and c.id = k.id`,
  )
}
