import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'

/** The longest window of velocity has 30 days; the others are for datasets that are processed late. */
const IS_OLD = raw("at < now() - interval '32 days'")

/**
 * Removes up to `limit` of the oldest sightings that no window reaches any more.
 *
 * Each call goes on from the time up to which earlier ones have removed: from the beginning, it would read the index entries of all removed
 * rows until they are vacuumed, which an open snapshot prevents. Sightings of before that time are added where old datasets are processed
 * again with a new client, so the walk begins again a day after it began.
 *
 * Safe with several workers: one at a time holds the place.
 *
 * @returns how many were removed; less than `limit` if no more are due, or another worker holds the place.
 */
export async function pruneSightings(db: Db, limit: number): Promise<number> {
  return db.transaction(async (trx) => {
    const [place] = await queryRows<{ through: string; isOver: boolean }>(
      trx,
      sql`select through::text, begun_at < now() - interval '1 day' as "isOver" from sighting_pruning for update skip locked`,
    )
    if (!place) return 0
    const [step] = await queryRows<{ removed: number }>(
      trx,
      sql`with oldest as materialized (
            select ctid, at from sightings where ${IS_OLD} and at >= ${place.through}::timestamptz order by at limit ${limit}
          ), removed as (
            delete from sightings where ctid = any(array(select ctid from oldest))
          ), moved as (
            update sighting_pruning set through = last.at from (select max(at) as at from oldest) last where last.at > through
          )
          select count(*)::int as removed from oldest`,
    )
    const removed = step?.removed ?? 0
    if (removed < limit && place.isOver)
      await queryRows(trx, sql`update sighting_pruning set through = '-infinity', begun_at = now()`)
    return removed
  })
}
