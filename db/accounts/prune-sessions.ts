import { type Db, queryRows } from '../postgres/database.ts'

/** After its end: as long as a session lasts at most, for whoever looks into a token that was stolen. */
const KEPT_DAYS = 30

const IS_OVER = `least(x.expires_at, x.revoked_at) < now() - make_interval(days => ${KEPT_DAYS})`

/**
 * Removes sessions that ended long ago and their refresh tokens: at most `limit` of each. The newest session of a user stays, without
 * its tokens, since it says when they last logged in.
 *
 * A session that goes on keeps every token that it had, however old: one that is used again has to be known as used. Once
 * it is over, none of them does anything.
 */
export async function pruneSessions(db: Db, limit: number): Promise<void> {
  await queryRows(
    db,
    `delete from refresh_tokens where token_hash = any(array(
       select t.token_hash from sessions x
       join refresh_tokens t on t.subscription_id = x.subscription_id and t.session_id = x.id
       where ${IS_OVER} limit ?))`,
    [limit],
  )
  await queryRows(
    db,
    `delete from sessions where (subscription_id, id) in (
       select x.subscription_id, x.id from sessions x
       where ${IS_OVER}
         and exists (select from sessions newer where newer.subscription_id = x.subscription_id
           and newer.user_id = x.user_id and newer.created_at > x.created_at)
         and not exists (select from refresh_tokens t where t.subscription_id = x.subscription_id and t.session_id = x.id)
       limit ?)`,
    [limit],
  )
}
