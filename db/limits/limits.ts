import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { type LimitSettings, NO_SETTINGS } from './default-limits.ts'

/** Key id of the limits and use of a whole subscription. */
export const WHOLE = 0

const SETTINGS =
  raw(`l.requests_per_second as "requestsPerSecond", l.burst, l.datasets_per_day as "datasetsPerDay",
  l.bytes_stored as "bytesStored"`)

/** Finds the limits that were set for a subscription, or for one of its keys. */
async function findLimitSettings(db: Db, subscriptionId: number, keyId: number): Promise<LimitSettings> {
  const [found] = await queryRows<LimitSettings>(
    db,
    sql`select ${SETTINGS} from limits l where l.subscription_id = ${subscriptionId} and l.key_id = ${keyId}`,
  )
  return found ?? NO_SETTINGS
}

/**
 * Changes the limits of a subscription, or of one of its keys, and records it in the audit log; absent members stay as they are. Web
 * processes apply them within 5 s.
 *
 * @returns the limits that are set afterwards; undefined if the subscription has no such key.
 */
export async function changeLimits(
  db: Db,
  {
    subscriptionId,
    keyId,
    actor,
    change,
  }: { subscriptionId: number; keyId: number; actor: Actor; change: Partial<LimitSettings> },
): Promise<LimitSettings | undefined> {
  return db.transaction(async (trx) => {
    if (keyId !== WHOLE) {
      const keys = await queryRows(
        trx,
        sql`select from api_keys where subscription_id = ${subscriptionId} and id = ${keyId}`,
      )
      if (keys.length === 0) return undefined
    }
    // one at a time: concurrent changes of different members are all kept
    await queryRows(
      trx,
      sql`insert into limits (subscription_id, key_id) values (${subscriptionId}, ${keyId})
          on conflict (subscription_id, key_id) do update set key_id = excluded.key_id`,
    )
    const limits = { ...(await findLimitSettings(trx, subscriptionId, keyId)), ...change }
    const { requestsPerSecond, burst, datasetsPerDay, bytesStored } = limits
    await queryRows(
      trx,
      sql`update limits set requests_per_second = ${requestsPerSecond}, burst = ${burst},
            datasets_per_day = ${datasetsPerDay}, bytes_stored = ${bytesStored}
          where subscription_id = ${subscriptionId} and key_id = ${keyId}`,
    )
    await recordAudit(trx, {
      ...{ subscriptionId, actor, action: 'limits.change', detail: limits },
      ...(keyId !== WHOLE && { subject: String(keyId) }),
    })
    return limits
  })
}

/** Limits and use of a subscription, or of one of its keys; `keyId` is `WHOLE` for the subscription. */
export interface LimitedUse {
  readonly subscriptionId: number
  readonly keyId: number
  readonly settings: LimitSettings
  /** Today, in UTC, as in 2026-11-22. */
  readonly day: string
  /** Requests and datasets of today, of all processes up to their last flush. */
  readonly requests: number
  readonly datasets: number
  /** Bytes stored, of a subscription; 0 of a key. */
  readonly bytes: number
}

/** The day of today in UTC, as the tables have it. */
export const TODAY = raw("(now() at time zone 'UTC')::date")

/** Finds the limits and use of subscriptions and keys, in no order. */
export async function findLimitedUse(
  db: Db,
  subjects: readonly { readonly subscriptionId: number; readonly keyId: number }[],
): Promise<LimitedUse[]> {
  if (subjects.length === 0) return []
  const rows = await queryRows<UseRow>(
    db,
    sql`select k.subscription_id as "subscriptionId", k.key_id as "keyId", ${SETTINGS}, ${TODAY}::text as day,
               coalesce(u.requests, 0)::bigint as requests, coalesce(u.datasets, 0)::bigint as datasets,
               coalesce(case when k.key_id = ${WHOLE} then b.bytes end, 0)::bigint as bytes
        from unnest(${subjects.map(({ subscriptionId }) => subscriptionId)}::integer[],
                    ${subjects.map(({ keyId }) => keyId)}::integer[]) k (subscription_id, key_id)
        left join limits l using (subscription_id, key_id)
        left join usage_days u on u.subscription_id = k.subscription_id and u.key_id = k.key_id and u.day = ${TODAY}
        left join stored_bytes b on b.subscription_id = k.subscription_id`,
  )
  return rows.map(useOf)
}

type UseRow = LimitSettings & Omit<LimitedUse, 'settings'>

const useOf = <Row extends UseRow>({
  requestsPerSecond,
  burst,
  datasetsPerDay,
  bytesStored,
  ...use
}: Row) => ({
  ...use,
  settings: { requestsPerSecond, burst, datasetsPerDay, bytesStored },
})

/** Lists the live keys of a subscription with their limits and use, newest first. */
export async function listKeyUse(
  db: Db,
  subscriptionId: number,
): Promise<(LimitedUse & { readonly label: string | null })[]> {
  const rows = await queryRows<UseRow & { readonly label: string | null }>(
    db,
    sql`select k.subscription_id as "subscriptionId", k.id as "keyId", k.label, ${SETTINGS}, ${TODAY}::text as day,
               coalesce(u.requests, 0)::bigint as requests, coalesce(u.datasets, 0)::bigint as datasets, 0::bigint as bytes
        from api_keys k
        left join limits l on l.subscription_id = k.subscription_id and l.key_id = k.id
        left join usage_days u on u.subscription_id = k.subscription_id and u.key_id = k.id and u.day = ${TODAY}
        where k.subscription_id = ${subscriptionId} and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now())
        order by k.id desc`,
  )
  return rows.map(useOf)
}
