import { REFERENCE_BYTES } from '../encryption/capture-reference.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { type ObjectKey, readKey } from './object-keys.ts'
import type { ObjectStore } from './object-store.ts'

/**
 * Removes the orphans among the next objects of past days: those that were written, and whose row was never committed. A day is read once, when
 * it ended a day ago, so that no transaction of it is still open.
 *
 * Safe with several workers: one at a time locks the place.
 *
 * @param remove removes objects.
 * @returns how many objects it read; 0 at the end, or if another worker has the place.
 */
export async function sweepNext(
  db: Db,
  store: Pick<ObjectStore, 'list'>,
  remove: (keys: readonly ObjectKey[]) => Promise<unknown>,
): Promise<{ read: number; removed: number }> {
  return db.transaction(async (trx) => {
    const [place] = await queryRows<{ through: string; until: string }>(
      trx,
      sql`select through, to_char((now() at time zone 'UTC')::date - 1, 'YYYY-MM-DD') as until
          from capture_sweep for update skip locked`,
    )
    if (!place) return { read: 0, removed: 0 }
    const listed = await store.list(place.through)
    const past = listed.filter((key) => key < place.until) // a key begins with its day
    const last = past.at(-1)
    if (last === undefined) return { read: 0, removed: 0 }
    const orphans = await findOrphans(
      trx,
      past.map(readKey).filter((key) => key !== undefined),
    )
    await remove(orphans)
    await queryRows(trx, sql`update capture_sweep set through = ${last}`)
    return { read: past.length, removed: orphans.length }
  })
}

async function findOrphans(trx: Db, keys: readonly ObjectKey[]): Promise<ObjectKey[]> {
  return queryRows(
    trx,
    sql`select k.subscription_id as "subscriptionId", k.id
        from unnest(${keys.map((key) => key.subscriptionId)}::integer[], ${keys.map((key) => key.id)}::bytea[])
          k (subscription_id, id)
        where not exists (
          select from datasets d
          where d.subscription_id = k.subscription_id and octet_length(d.blob) = ${raw(String(REFERENCE_BYTES))}
            and substr(d.blob, 9, 16) = k.id
        )`,
  )
}

/** Lists written captures for removal that no row refers to: of uploads that turned out to be repeated or were rejected. */
export async function discardCaptures(db: Db, subscriptionId: number, ids: readonly Buffer[]): Promise<void> {
  if (ids.length === 0) return
  await queryRows(
    db,
    sql`insert into capture_removals (subscription_id, object_id, due_at)
        select ${subscriptionId}, k.id, now() from unnest(${[...ids]}::bytea[]) k (id)
        where not exists (
          select from datasets d
          where d.subscription_id = ${subscriptionId} and octet_length(d.blob) = ${raw(String(REFERENCE_BYTES))}
            and substr(d.blob, 9, 16) = k.id
        )`,
  )
}
