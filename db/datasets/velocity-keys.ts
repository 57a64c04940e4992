import { hash as digest, type KeyObject } from 'node:crypto'
import { REKEYED } from '../encryption/data-keys.ts'
import type { SubscriptionKeys, Vault } from '../encryption/vault.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { type Sql, sql } from '../postgres/sql.ts'

/**
 * How the rows of a subscription's velocity are keyed.
 *
 * Without encryption by the SHA-256 of the identifier; with it by an HMAC-SHA-256 of that hash, after a byte 1. A subscription is rekeyed in
 * steps, in the order of the hashes: up to `velocity_through` rows have the new form, after it the old one.
 */
export interface KeyForm {
  /** The key of an identifier's counter and sightings. */
  keyOf(hash: Buffer): Buffer
  /** The key of a device in its pair with a client, which has the form of the client's key. */
  keyInPair(device: Buffer, client: Buffer): Buffer
  /** Whether all keys are in the same form, so that the key of a device in pairs equals the key of its counter. */
  readonly isUniform: boolean
}

/** SHA-256 of an identifier. */
export const hashIdentifier = (identifier: string): Buffer => digest('sha256', identifier, 'buffer')

/** Distinguishes a keyed hash from a SHA-256. */
const KEYED = Buffer.of(1)

/** The two keys of an HMAC-SHA-256. @see RFC 2104 */
interface Pads {
  readonly inner: Buffer
  readonly outer: Buffer
}

function padsOf(secret: KeyObject): Pads {
  const key = Buffer.alloc(64)
  secret.export().copy(key)
  const padded = (pad: number) => Buffer.from(key.map((byte) => byte ^ pad))
  return { inner: padded(0x36), outer: padded(0x5c) }
}

/** By one-shot hashes, which leave no objects to be collected, as an `Hmac` does. */
function keyedHash({ inner, outer }: Pads, hash: Buffer): Buffer {
  const first = digest('sha256', Buffer.concat([inner, hash]), 'buffer')
  return Buffer.concat([KEYED, digest('sha256', Buffer.concat([outer, first]), 'buffer')])
}

/** Without encryption. */
export const HASH_FORM: KeyForm = {
  keyOf: (hash) => hash,
  keyInPair: (device) => device,
  isUniform: true,
}

/** Keys of a subscription that is being rekeyed, or was. @param through hashes up to this one have keys of the new form. */
export function keyedForm(secret: KeyObject, through: Buffer): KeyForm {
  const pads = padsOf(secret)
  const convert = (hash: Buffer, decisive: Buffer) =>
    decisive.compare(through) <= 0 ? keyedHash(pads, hash) : hash
  return { keyOf: (hash) => convert(hash, hash), keyInPair: convert, isUniform: through.equals(REKEYED) }
}

/** Class of the advisory locks of rekeying; their second number is the subscription. */
const LOCK_CLASS = 0x56454c4f

/** Keys of subscriptions, as of before a transaction; undefined for one without. */
export type KnownKeys = ReadonlyMap<number, SubscriptionKeys | undefined>

/**
 * Finds the keys of subscriptions. Call it before the transaction: the vault reads them with a connection of its own, and transactions that
 * hold all connections of a pool or a pooler would wait for one until they time out.
 */
export const findKnownKeys = async (vault: Vault, subscriptionIds: Iterable<number>): Promise<KnownKeys> =>
  new Map(await Promise.all([...subscriptionIds].map(async (id) => [id, await vault.findKeys(id)] as const)))

/**
 * Returns the form of each subscription's keys, which stays as it is until the transaction ends: a step of rekeying waits for it. Of a
 * subscription that was rekeyed, nothing is read or locked.
 *
 * @param known of `findKnownKeys`: its subscriptions are those of the result.
 */
export async function lockKeyForms(trx: Db, vault: Vault, known: KnownKeys): Promise<Map<number, KeyForm>> {
  const forms = new Map<number, KeyForm>()
  for (const [id, keys] of known) if (keys?.isRekeyed) forms.set(id, keyedForm(keys.velocitySecret, REKEYED))
  const open = [...known.keys()].filter((id) => !forms.has(id))
  if (open.length === 0) return forms
  const [, states] = await Promise.all([
    queryRows(
      trx,
      sql`select pg_advisory_xact_lock_shared(${LOCK_CLASS}, id) from unnest(${open}::integer[]) k (id)`,
    ),
    // a statement of its own: it sees what was committed while the first one waited
    queryRows<{ id: number; through: Buffer }>(
      trx,
      sql`select subscription_id as id, velocity_through as through from encryption_progress
          where subscription_id = any(${open}::integer[])`,
    ),
  ])
  for (const { id, through } of states) {
    if (through.length === 0) continue
    const keys = known.get(id) ?? (await vault.findKeys(id, { known: true }))
    if (!keys) throw new Error('A subscription is rekeyed that has no keys')
    forms.set(id, keyedForm(keys.velocitySecret, through))
  }
  for (const id of open) if (!forms.has(id)) forms.set(id, HASH_FORM)
  return forms
}

/** The stored key of an identifier of `datasets d`, from its SHA-256, as a part of a statement. */
export function storedKey(hash: Sql, keys: SubscriptionKeys | undefined): Sql {
  if (!keys) return hash
  return sql`case when ${hash} <= coalesce((
      select p.velocity_through from encryption_progress p where p.subscription_id = d.subscription_id
    ), '') then ${keyedHashSql(hash, keys.velocitySecret)} else ${hash} end`
}

/** HMAC-SHA-256 in SQL, of which Postgres has only the hash. */
function keyedHashSql(hash: Sql, secret: KeyObject): Sql {
  const { inner, outer } = padsOf(secret)
  return sql`(${KEYED}::bytea || sha256(${outer}::bytea || sha256(${inner}::bytea || ${hash})))`
}

/** Tables of velocity with the hash that a row is converted by, and further conditions for the index. */
const KEYED_ROWS: readonly {
  readonly table: Sql
  readonly key: Sql
  readonly more?: Sql
  readonly also?: Sql
}[] = [
  { table: sql`devices`, key: sql`device_key` },
  { table: sql`clients`, key: sql`client_key` },
  { table: sql`client_devices`, key: sql`client_key`, also: sql`device_key` },
  { table: sql`sightings`, key: sql`key`, more: sql`and kind = 'device'` },
  { table: sql`sightings`, key: sql`key`, more: sql`and kind = 'client'` },
]

/**
 * Gives the next `limit` rows of each table of a subscription's velocity, and those of the same identifiers, keys of the new form. Counts go
 * on exactly: no transaction that counts on the subscription runs at the same time.
 *
 * @returns whether all are rekeyed.
 */
export async function rekeyVelocity(
  db: Db,
  subscriptionId: number,
  { velocitySecret }: Pick<SubscriptionKeys, 'velocitySecret'>,
  limit: number,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    await queryRows(trx, sql`select pg_advisory_xact_lock(${LOCK_CLASS}, ${subscriptionId})`)
    const [progress] = await queryRows<{ through: Buffer }>(
      trx,
      sql`select velocity_through as through from encryption_progress
          where subscription_id = ${subscriptionId} for update`,
    )
    if (!progress || progress.through.equals(REKEYED)) return true
    const { through: after } = progress
    const ends: Buffer[] = []
    for (const { table, key, more = sql`` } of KEYED_ROWS) {
      const [row] = await queryRows<{ hash: Buffer }>(
        trx,
        sql`select ${key} as hash from ${table}
            where subscription_id = ${subscriptionId} ${more} and ${key} > ${after} and length(${key}) = 32
            order by ${key} offset ${limit - 1} limit 1`,
      )
      if (row) ends.push(row.hash)
    }
    const through = ends.reduce((least, end) => (end.compare(least) < 0 ? end : least), REKEYED)
    for (const { table, key, more = sql``, also } of KEYED_ROWS)
      await queryRows(
        trx,
        sql`update ${table} set ${key} = ${keyedHashSql(key, velocitySecret)}
              ${also ? sql`, ${also} = ${keyedHashSql(also, velocitySecret)}` : sql``}
            where subscription_id = ${subscriptionId} ${more} and ${key} > ${after} and ${key} <= ${through}
              and length(${key}) = 32`,
      )
    await queryRows(
      trx,
      sql`update encryption_progress set velocity_through = ${through} where subscription_id = ${subscriptionId}`,
    )
    return through.equals(REKEYED)
  })
}
