import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Expired rows that each call removes: more than it adds, so that the table stays small. */
const PRUNED = 10

/**
 * Uses up a challenge.
 *
 * @returns whether it was unused.
 */
export async function takeChallenge(
  db: Db,
  { subscriptionId, id, expiresAt }: { subscriptionId: number; id: string; expiresAt: Date },
): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`with pruned as (
          delete from used_challenges where (subscription_id, id) in (
            select subscription_id, id from used_challenges
            where expires_at < now() - interval '1 minute' limit ${PRUNED} for update skip locked)
        )
        insert into used_challenges (subscription_id, id, expires_at)
        values (${subscriptionId}, ${id}, ${expiresAt}) on conflict do nothing returning id`,
  )
  return rows.length === 1
}
