import { randomBytes } from 'node:crypto'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { DataKeyError } from './data-key-error.ts'
import { KEY_BYTES, unwrapKey, type WrappedFor, type WrappingKey, wrapKey } from './wrapping-keys.ts'

/** A stored key of a subscription: a version of the key of its data, or the secret of its velocity keys. */
export interface StoredKey extends WrappedFor {
  /** null once it was destroyed. */
  readonly wrapped: Buffer | null
  readonly wrappedBy: string
  /** Whether every process knows it by now, so that values may be sealed with it. */
  readonly isKnown: boolean
}

/** The state of a subscription's encryption. */
export interface StoredKeys {
  /** Empty if the subscription's data is stored as it is. */
  readonly keys: readonly StoredKey[]
  /** Whether the encryption of new data has begun in this database. */
  readonly hasBegun: boolean
  /** Whether all keys of velocity counters are keyed hashes. */
  readonly isRekeyed: boolean
}

/** Processes read the keys again after half of this. */
const KNOWN_AFTER = raw("interval '2 minutes'")

/** `velocity_through` when all rows are rekeyed: after every SHA-256. */
export const REKEYED = Buffer.alloc(KEY_BYTES + 1, 0xff)

export async function findStoredKeys(db: Db, subscriptionId: number): Promise<StoredKeys> {
  const rows = await queryRows<StoredKey & { version: number | null; hasBegun: boolean; isRekeyed: boolean }>(
    db,
    sql`select k.subscription_id as "subscriptionId", k.use, k.version, k.wrapped, k.wrapped_by as "wrappedBy",
               k.created_at <= now() - ${KNOWN_AFTER} as "isKnown",
               (select starts_at <= now() from encryption_start) as "hasBegun",
               coalesce(p.velocity_through = ${REKEYED}, false) as "isRekeyed"
        from (select ${subscriptionId}::integer as subscription_id) s
        left join data_keys k using (subscription_id)
        left join encryption_progress p using (subscription_id)
        order by k.use, k.version`,
  )
  const [first] = rows
  return {
    keys: rows.filter(({ version }) => version !== null),
    hasBegun: first?.hasBegun ?? false,
    isRekeyed: first?.isRekeyed ?? false,
  }
}

/** Creates the first keys of a subscription, unless it has some. Its stored data and counters are converted afterwards, step by step. */
export async function createDataKeys(
  db: Db,
  wrappingKey: WrappingKey,
  subscriptionId: number,
): Promise<void> {
  const wrap = (use: WrappedFor['use']) =>
    wrapKey(wrappingKey, { subscriptionId, use, version: 1 }, randomBytes(KEY_BYTES))
  await queryRows(
    db,
    sql`with fresh as (
          insert into encryption_progress (subscription_id) values (${subscriptionId}) on conflict do nothing returning 1
        )
        insert into data_keys (subscription_id, use, version, wrapped, wrapped_by)
        select ${subscriptionId}, use, 1, wrapped, ${wrappingKey.kid}
        from (values ('data', ${wrap('data')}::bytea), ('velocity', ${wrap('velocity')})) v (use, wrapped), fresh`,
  )
}

/** Subscriptions that have no keys yet. */
export async function listUnencrypted(db: Db, limit: number): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    db,
    sql`select id from subscriptions s
        where not exists (select from encryption_progress p where p.subscription_id = s.id) order by id limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

/** What of a subscription is not converted yet. */
export interface Unconverted {
  readonly subscriptionId: number
  /** Captures, addresses and Additional Info that are not sealed with the newest key. */
  readonly data: boolean
  /** The newest version of its data key, to which data is converted. */
  readonly version: number
  /** Counters and sightings under plain SHA-256. */
  readonly velocity: boolean
}

export async function listUnconverted(db: Db): Promise<Unconverted[]> {
  return queryRows(
    db,
    sql`select subscription_id as "subscriptionId", converted_at is null as data, velocity_through < ${REKEYED} as velocity,
               (select max(version) from data_keys k where k.subscription_id = p.subscription_id and use = 'data') as version
        from encryption_progress p
        where (converted_at is null or velocity_through < ${REKEYED})
          and not exists (select from data_keys k where k.subscription_id = p.subscription_id and k.wrapped is null)
        order by subscription_id`,
  )
}

/**
 * Notes that all stored data of a subscription is sealed with this version, once it is the newest and no process stores data in another way any
 * more, five minutes after it was made.
 *
 * @returns whether it is so.
 */
export async function markConverted(db: Db, subscriptionId: number, version: number): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`update encryption_progress set converted_at = now()
        where subscription_id = ${subscriptionId} and converted_at is null and (
          select version = ${version} and created_at < now() - interval '5 minutes' from data_keys
          where subscription_id = ${subscriptionId} and use = 'data' order by version desc limit 1
        )
        returning 1`,
  )
  return rows.length > 0
}

/** Begins the encryption of new data now, where migration has put it off because processes of the previous version may run. */
export async function beginEncryption(db: Db): Promise<Date> {
  const [row] = await queryRows<{ startsAt: Date }>(
    db,
    sql`update encryption_start set starts_at = least(starts_at, now()) returning starts_at as "startsAt"`,
  )
  if (!row) throw new Error('encryption_start has no row')
  return row.startsAt
}

/** The keys of a subscription as operators see them. */
export interface ListedKeys {
  readonly subscriptionId: number
  readonly name: string
  /** The newest version of its data key; null if its data is stored as it is. */
  readonly version: number | null
  readonly wrappedBy: readonly string[]
  readonly destroyed: boolean
  /** Whether all its stored data is sealed with the newest version, and all its velocity keys are keyed. */
  readonly converted: boolean
}

export async function listDataKeys(db: Db): Promise<{ startsAt: Date; subscriptions: ListedKeys[] }> {
  const [start] = await queryRows<{ startsAt: Date }>(
    db,
    sql`select starts_at as "startsAt" from encryption_start`,
  )
  const subscriptions = await queryRows<ListedKeys>(
    db,
    sql`select s.id as "subscriptionId", s.name, max(k.version) filter (where k.use = 'data') as version,
               coalesce(array_agg(distinct k.wrapped_by) filter (where k.wrapped is not null), '{}') as "wrappedBy",
               coalesce(bool_or(k.version is not null and k.wrapped is null), false) as destroyed,
               coalesce(bool_and(p.converted_at is not null and p.velocity_through = ${REKEYED}), false) as converted
        from subscriptions s
        left join data_keys k on k.subscription_id = s.id
        left join encryption_progress p on p.subscription_id = s.id
        group by s.id, s.name order by s.name`,
  )
  if (!start) throw new Error('encryption_start has no row')
  return { startsAt: start.startsAt, subscriptions }
}

/** Keys of one transaction of `rewrapKeys`. */
const REWRAP_ROWS = 500

/**
 * Wraps the next of the stored keys that another wrapping key wraps with the first of these. The keys themselves stay, and so does all data:
 * processes notice nothing.
 *
 * @returns how many were rewrapped; 0 once all are wrapped by the first.
 * @throws DataKeyError if one cannot be unwrapped; nothing of this step is changed then.
 */
export async function rewrapKeys(db: Db, keys: readonly WrappingKey[]): Promise<number> {
  const [first] = keys
  if (!first) throw new DataKeyError('DATA_ENCRYPTION_KEYS is not set')
  return db.transaction(async (trx) => {
    const rows = await queryRows<WrappedFor & { wrapped: Buffer; wrappedBy: string }>(
      trx,
      sql`select subscription_id as "subscriptionId", use, version, wrapped, wrapped_by as "wrappedBy" from data_keys
          where wrapped_by <> ${first.kid} and wrapped is not null
          order by subscription_id, use, version limit ${REWRAP_ROWS} for update`,
    )
    for (const { wrapped, wrappedBy, ...owner } of rows) {
      const rewrapped = wrapKey(first, owner, unwrapKey(keys, wrappedBy, owner, wrapped))
      await queryRows(
        trx,
        sql`update data_keys set wrapped = ${rewrapped}, wrapped_by = ${first.kid}
            where subscription_id = ${owner.subscriptionId} and use = ${owner.use} and version = ${owner.version}`,
      )
    }
    return rows.length
  })
}

/**
 * Makes a new version of a subscription's data key. New values are sealed with it two minutes later, when every process knows it; a worker then
 * seals the stored ones again. The versions before stay for what is not.
 *
 * @returns the version; undefined if the subscription has no keys.
 */
export async function addDataKey(
  db: Db,
  wrappingKey: WrappingKey,
  subscriptionId: number,
): Promise<number | undefined> {
  return db.transaction(async (trx) => {
    const [progress] = await queryRows(
      trx,
      sql`update encryption_progress p set datasets_through = 0, collections_through = 0, converted_at = null
          where subscription_id = ${subscriptionId}
            and not exists (select from data_keys where subscription_id = ${subscriptionId} and wrapped is null)
          returning 1`,
    )
    if (!progress) return undefined
    const [row] = await queryRows<{ version: number }>(
      trx,
      sql`select max(version) + 1 as version from data_keys where subscription_id = ${subscriptionId} and use = 'data'`,
    )
    const version = row?.version ?? 1
    const wrapped = wrapKey(wrappingKey, { subscriptionId, use: 'data', version }, randomBytes(KEY_BYTES))
    await queryRows(
      trx,
      sql`insert into data_keys (subscription_id, use, version, wrapped, wrapped_by)
          values (${subscriptionId}, 'data', ${version}, ${wrapped}, ${wrappingKey.kid})`,
    )
    return version
  })
}

/**
 * Destroys the keys of a suspended subscription, and records it in the audit log: what is sealed with them is lost permanently, in every copy of
 * the database from which the wrapping keys are kept away.
 *
 * @returns `active` if the subscription is not suspended, `none` if it has no keys, or they were destroyed before.
 */
export async function destroyDataKeys(
  db: Db,
  subscriptionId: number,
  actor: Parameters<typeof recordAudit>[1]['actor'],
): Promise<'destroyed' | 'active' | 'none'> {
  return db.transaction(async (trx) => {
    const [subscription] = await queryRows<{ suspended: boolean }>(
      trx,
      sql`select suspended_at is not null as suspended from subscriptions where id = ${subscriptionId} for no key update`,
    )
    if (!subscription?.suspended) return 'active'
    const destroyed = await queryRows(
      trx,
      sql`update data_keys set wrapped = null where subscription_id = ${subscriptionId} and wrapped is not null returning 1`,
    )
    if (destroyed.length === 0) return 'none'
    await recordAudit(trx, { subscriptionId, actor, action: 'data_key.destroy' })
    return 'destroyed'
  })
}

/** One stored key of each wrapping key, to check that these can be unwrapped. */
export async function listWrappedSamples(
  db: Db,
): Promise<(WrappedFor & { wrapped: Buffer; wrappedBy: string })[]> {
  return queryRows(
    db,
    sql`select distinct on (wrapped_by) subscription_id as "subscriptionId", use, version, wrapped, wrapped_by as "wrappedBy"
        from data_keys where wrapped is not null order by wrapped_by, subscription_id, use, version`,
  )
}
