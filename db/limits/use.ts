import { type Db, queryRows } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'
import { TODAY, WHOLE } from './limits.ts'

/** Use to add to that of today, in UTC. */
export interface Use {
  readonly subscriptionId: number
  /** `WHOLE` for the subscription, whose use includes that of its keys. */
  readonly keyId: number
  readonly requests: number
  /** Datasets received, repeated uploads excluded. */
  readonly datasets: number
  /** Bytes received, of a subscription. */
  readonly bytes: number
  /** Whether an upload was rejected since too many bytes are stored: a worker then measures them soon. */
  readonly full?: boolean
}

/**
 * Adds to the use of today, all or none. Each subscription and key at most once. Rows are written in the order of their key:
 * otherwise concurrent processes deadlock.
 */
export async function addUse(db: Db, use: readonly Use[]): Promise<void> {
  const sorted = use.toSorted((a, b) => a.subscriptionId - b.subscriptionId || a.keyId - b.keyId)
  const counted = sorted.filter(({ requests, datasets }) => requests + datasets > 0)
  const stored = sorted.filter(({ keyId, bytes, full }) => keyId === WHOLE && (bytes > 0 || full))
  let isAdded = false
  const add = async (trx: Db) => {
    if (counted.length > 0)
      await queryRows(
        trx,
        sql`insert into usage_days as u (subscription_id, key_id, requests, datasets, day)
            select v.*, ${TODAY}
            from (values ${valueRows(
              ['integer', 'integer', 'bigint', 'bigint'],
              counted.map(({ subscriptionId, keyId, requests, datasets }) => [
                ...[subscriptionId, keyId, requests, datasets],
              ]),
            )}) v
            on conflict (subscription_id, key_id, day) do update set
              requests = u.requests + excluded.requests, datasets = u.datasets + excluded.datasets`,
      )
    if (stored.length > 0)
      await queryRows(
        trx,
        sql`insert into stored_bytes as b (subscription_id, bytes, wanted_at)
            select v.subscription_id, v.bytes, case when v.is_full then now() end
            from (values ${valueRows(
              ['integer', 'bigint', 'boolean'],
              stored.map(({ subscriptionId, bytes, full = false }) => [subscriptionId, bytes, full]),
            )}) v (subscription_id, bytes, is_full)
            on conflict (subscription_id) do update set
              bytes = b.bytes + excluded.bytes, scan_received = b.scan_received + excluded.bytes,
              wanted_at = coalesce(excluded.wanted_at, b.wanted_at)`,
      )
    isAdded = true
  }
  await db.transaction(add).catch((error) => {
    if (!isAdded) throw error // otherwise only the commit was not answered: too little is better than twice
  })
}

/** Records that keys were just used, to the minute. */
export async function recordKeyUse(
  db: Db,
  keys: readonly { readonly subscriptionId: number; readonly keyId: number }[],
): Promise<void> {
  if (keys.length === 0) return
  await queryRows(
    db,
    sql`update api_keys k set last_used_at = now()
        from (
          select a.subscription_id, a.id from api_keys a
          join unnest(${keys.map(({ subscriptionId }) => subscriptionId)}::integer[],
                      ${keys.map(({ keyId }) => keyId)}::integer[]) u (subscription_id, id) using (subscription_id, id)
          where a.last_used_at is null or a.last_used_at < now() - interval '1 minute'
          order by a.subscription_id, a.id for update of a skip locked
        ) used
        where k.subscription_id = used.subscription_id and k.id = used.id`,
  )
}

/** Days that use is kept. */
const KEPT_DAYS = 400

/** Removes the use of up to `limit` days and keys of long ago. @returns how many. */
export async function pruneUse(db: Db, limit: number): Promise<number> {
  const removed = await queryRows(
    db,
    sql`delete from usage_days where ctid = any(array(
          select ctid from usage_days where day < ${TODAY} - ${KEPT_DAYS}::integer limit ${limit}
        )) returning 1`,
  )
  return removed.length
}
