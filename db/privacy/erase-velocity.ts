import { findKnownKeys, hashIdentifier, type KeyForm, lockKeyForms } from '../datasets/velocity-keys.ts'
import type { Vault } from '../encryption/vault.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, type Sql, sql } from '../postgres/sql.ts'
import type { Erasure, StepOutcome } from './erasure-step.ts'
import { identifierOf, isOf, otherKind, type Person, type PersonKind } from './person.ts'

/** Tables of counters with the column of their key, its name in pairs, and the count of identifiers of the other kind. */
const COUNTERS = {
  device: { table: raw('devices'), key: raw('device_key'), others: raw('clients') },
  client: { table: raw('clients'), key: raw('client_key'), others: raw('devices') },
} as const satisfies Record<PersonKind, Record<string, Sql>>

/** Sightings and pairs of one step. */
const STEP_SIGHTINGS = 5_000
const STEP_PAIRS = 200

/** The counter of an identifier. */
interface Counter {
  readonly subscriptionId: number
  readonly kind: PersonKind
  readonly key: Buffer
}

/**
 * Removes the pair of the person with the next identifier that their datasets named, and the counter and sightings of that identifier if nobody
 * else's dataset or pair is left of it. Otherwise its datasets stay counted: places of later datasets go on from there.
 *
 * A pair that a dataset received later has confirmed stays.
 */
export async function eraseCounter(trx: Db, erasure: Erasure, vault: Vault): Promise<StepOutcome> {
  const { subscriptionId, id, person } = erasure
  const [next] = await queryRows<{ hash: Buffer; identifier: string }>(
    trx,
    sql`select hash, identifier from erasure_counters
        where subscription_id = ${subscriptionId} and request_id = ${id}::uuid order by hash limit 1`,
  )
  if (!next) return 'done'
  const form = await findForm(trx, vault, subscriptionId)
  if (!form) return 'waits'
  const other: Person = { kind: otherKind(person.kind), id: next.identifier }
  const own = counterOf(subscriptionId, person, form)
  const counter = counterOf(subscriptionId, other, form)
  await lockCounters(trx, [own, counter])
  if (!(await isCounted(trx, subscriptionId, 'client', sql`${isOf(person)} and ${isOf(other)}`)))
    await removePairs(trx, own, [counter.key])
  if (
    (await countOthers(trx, counter)) === 0 &&
    !(await isCounted(trx, subscriptionId, other.kind, isOf(other))) &&
    !(await removeCounter(trx, counter))
  )
    return 'more' // the rest of its sightings is the next step's
  await queryRows(
    trx,
    sql`delete from erasure_counters
        where subscription_id = ${subscriptionId} and request_id = ${id}::uuid and hash = ${next.hash}`,
  )
  return 'more'
}

/**
 * Removes the next pairs, then the sightings and the counter of the person's own identifier. Pairs and counter stay where datasets were received
 * after the request: these count on from the places that they were given.
 */
export async function eraseOwnCounter(trx: Db, erasure: Erasure, vault: Vault): Promise<StepOutcome> {
  const { subscriptionId, person, requestedAt } = erasure
  const form = await findForm(trx, vault, subscriptionId)
  if (!form) return 'waits'
  const own = counterOf(subscriptionId, person, form)
  const other = otherKind(person.kind)
  const confirmed = await listConfirmed(trx, subscriptionId, person)
  const { key } = COUNTERS[person.kind]
  const { key: otherKey } = COUNTERS[other]
  const pairs = await queryRows<{ key: Buffer }>(
    trx,
    sql`select ${otherKey} as key from client_devices
        where subscription_id = ${subscriptionId} and ${key} = ${own.key}
          and not ${otherKey} = any(${confirmed.map((one) => form.keyOf(hashIdentifier(one)))}::bytea[])
        order by 1 limit ${STEP_PAIRS}`,
  )
  await lockCounters(trx, [own, ...pairs.map((pair) => ({ subscriptionId, kind: other, key: pair.key }))])
  // read again under the locks: a batch may have counted meanwhile
  const after = await listConfirmed(trx, subscriptionId, person)
  if (after.length !== confirmed.length) return 'more'
  if (pairs.length > 0) {
    await removePairs(
      trx,
      own,
      pairs.map((pair) => pair.key),
    )
    return 'more'
  }
  if (!(await isCounted(trx, subscriptionId, person.kind, isOf(person))))
    return (await removeCounter(trx, own)) ? 'done' : 'more'
  const removed = await removeSightings(trx, own, sql`and at < ${requestedAt}::timestamptz`)
  return removed === STEP_SIGHTINGS ? 'more' : 'done'
}

/** The form of all velocity keys; undefined while the subscription is rekeyed, which takes a worker some minutes. */
async function findForm(trx: Db, vault: Vault, subscriptionId: number): Promise<KeyForm | undefined> {
  const known = await findKnownKeys(vault, [subscriptionId]) // cached
  const form = (await lockKeyForms(trx, vault, known)).get(subscriptionId)
  return form?.isUniform ? form : undefined
}

const counterOf = (subscriptionId: number, { kind, id }: Person, form: KeyForm): Counter => ({
  ...{ subscriptionId, kind, key: form.keyOf(hashIdentifier(id)) },
})

/** Locks counters as batches do: devices before clients, each in the order of their keys. */
async function lockCounters(trx: Db, counters: readonly Counter[]): Promise<void> {
  for (const kind of ['device', 'client'] as const) {
    const { table, key } = COUNTERS[kind]
    const own = counters.filter((counter) => counter.kind === kind)
    const [first] = own
    if (first)
      await queryRows(
        trx,
        sql`select from ${table} where subscription_id = ${first.subscriptionId}
              and ${key} = any(${own.map((counter) => counter.key)}::bytea[]) order by ${key} for update`,
      )
  }
}

/** That a dataset was counted on its identifier of a kind; pairs are counted with the client. A `case`, as in `isOf`. */
const wasCounted = (kind: PersonKind): Sql =>
  sql`case when jsonb_typeof(d.velocity -> ${kind}) = 'object' then true end is not null`

/** Whether a counted dataset is stored that meets a condition on `d`; deleted ones name nobody. */
async function isCounted(
  trx: Db,
  subscriptionId: number,
  kind: PersonKind,
  condition: Sql,
): Promise<boolean> {
  const found = await queryRows(
    trx,
    // ordered, so that an index is read: most of the datasets that the statistics know may be deleted by now
    sql`select from datasets d
        where d.subscription_id = ${subscriptionId} and ${condition} and ${wasCounted(kind)} order by (-d.id) limit 1`,
  )
  return found.length > 0
}

/** The other identifiers of the datasets that are still stored of the person: those received after the request. */
async function listConfirmed(trx: Db, subscriptionId: number, person: Person): Promise<string[]> {
  const other = identifierOf(otherKind(person.kind))
  const rows = await queryRows<{ other: string }>(
    trx,
    sql`select distinct ${other} as other from datasets d
        where d.subscription_id = ${subscriptionId} and ${isOf(person)} and ${other} <> '' and ${wasCounted('client')}`,
  )
  return rows.map((row) => row.other)
}

async function countOthers(trx: Db, { subscriptionId, kind, key }: Counter): Promise<number> {
  const { table, key: column, others } = COUNTERS[kind]
  const [row] = await queryRows<{ others: number }>(
    trx,
    sql`select ${others} as others from ${table} where subscription_id = ${subscriptionId} and ${column} = ${key}`,
  )
  return row?.others ?? 0
}

/** Removes pairs of an identifier with others, whose counters are locked, and counts them off on both sides. */
async function removePairs(
  trx: Db,
  { subscriptionId, kind, key }: Counter,
  others: readonly Buffer[],
): Promise<void> {
  const own = COUNTERS[kind]
  const other = COUNTERS[otherKind(kind)]
  await queryRows(
    trx,
    sql`with removed as (
          delete from client_devices
          where subscription_id = ${subscriptionId} and ${own.key} = ${key} and ${other.key} = any(${others}::bytea[])
          returning ${other.key} as key
        ), of_others as (
          update ${other.table} c set ${other.others} = c.${other.others} - 1 from removed
          where c.subscription_id = ${subscriptionId} and c.${other.key} = removed.key
        )
        update ${own.table} c set ${own.others} = c.${own.others} - (select count(*) from removed)
        where c.subscription_id = ${subscriptionId} and c.${own.key} = ${key}`,
  )
}

/** Removes sightings first, in steps, then the counter. @returns whether all is removed. */
async function removeCounter(trx: Db, counter: Counter): Promise<boolean> {
  if ((await removeSightings(trx, counter, sql``)) === STEP_SIGHTINGS) return false
  const { table, key } = COUNTERS[counter.kind]
  await queryRows(
    trx,
    sql`delete from ${table} where subscription_id = ${counter.subscriptionId} and ${key} = ${counter.key}`,
  )
  return true
}

/** Removes the oldest sightings of an identifier, up to those of one step. @returns how many. */
async function removeSightings(
  trx: Db,
  { subscriptionId, kind, key }: Counter,
  condition: Sql,
): Promise<number> {
  const removed = await queryRows(
    trx,
    sql`delete from sightings s using (
          select at, place from sightings
          where subscription_id = ${subscriptionId} and kind = ${kind} and key = ${key} ${condition}
          order by at, place limit ${STEP_SIGHTINGS}
        ) oldest
        where s.subscription_id = ${subscriptionId} and s.kind = ${kind} and s.key = ${key}
          and s.at = oldest.at and s.place = oldest.place
        returning 1`,
  )
  return removed.length
}
