import pg from 'pg'
import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'

/**
 * Tables whose rows stay: the audit log until it is pruned, and the proof that the keys were destroyed; `event_pruning` is a place, not
 * data; what `capture_removals` lists is removed from object storage first.
 */
const KEPT = [
  ...['audit_events', 'audit_chain', 'audit_heads', 'audit_deliveries'],
  ...['data_keys', 'encryption_progress', 'event_pruning', 'capture_removals'],
]

/** Rows of one transaction. */
const STEP_ROWS = 500

/** Processes reject the credentials of a suspended subscription within 5 s, and have stored what they accepted before soon after. */
const SETTLED_SECONDS = 10

/**
 * Begins to delete a subscription: its credentials are rejected within seconds, and its data keys are destroyed, so that captures, addresses and
 * Additional Info that were encrypted are lost at once, in backups too. A second call changes nothing.
 *
 * @returns milliseconds to wait until nothing new is stored.
 */
export async function beginDeletion(db: Db, subscriptionId: number, actor: Actor): Promise<number> {
  return db.transaction(async (trx) => {
    const [row] = await queryRows<{ isDeleted: boolean; waitMs: number }>(
      trx,
      sql`with before as (
            select id, deleted_at is not null as is_deleted from subscriptions where id = ${subscriptionId} for update
          )
          update subscriptions s set deleted_at = coalesce(deleted_at, now()), suspended_at = coalesce(suspended_at, now())
          from before where s.id = before.id
          returning before.is_deleted as "isDeleted",
            greatest(0, extract(epoch from s.suspended_at - now()) + ${SETTLED_SECONDS})::float8 * 1000 as "waitMs"`,
    )
    if (!row) throw new Error(`There is no subscription ${subscriptionId}`)
    if (row.isDeleted) return row.waitMs
    const destroyed = await queryRows(
      trx,
      sql`update data_keys set wrapped = null where subscription_id = ${subscriptionId} and wrapped is not null returning 1`,
    )
    await recordAudit(trx, {
      ...{ subscriptionId, actor, action: 'subscription.delete' },
      detail: { dataKeys: destroyed.length },
    })
    return row.waitMs
  })
}

/**
 * Deletes the next rows of a subscription whose deletion has begun, in one short transaction. Safe to break off at any time.
 *
 * @param tables of `listTables`.
 * @returns how many; 0 once none is left.
 */
export async function deleteNext(db: Db, subscriptionId: number, tables: readonly string[]): Promise<number> {
  for (const table of tables) {
    const name = raw(pg.escapeIdentifier(table))
    const deleted = await queryRows(
      db,
      sql`delete from ${name} where ctid = any(array(
            select t.ctid from ${name} t join subscriptions s on s.id = t.subscription_id and s.deleted_at is not null
            where t.subscription_id = ${subscriptionId} limit ${STEP_ROWS}
          )) returning 1`,
    )
    if (deleted.length > 0) return deleted.length
  }
  return 0
}

/** Lists the tables with rows of subscriptions that a deletion empties; a table comes before those that it refers to. */
export async function listTables(db: Db): Promise<string[]> {
  const rows = await queryRows<{ name: string; refersTo: string[] }>(
    db,
    sql`select c.relname as name, array(
          select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
          where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid
        ) as "refersTo"
        from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and not c.relname = any(${KEPT}::text[])
          and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'subscription_id' and not a.attisdropped)
        order by 1`,
  )
  const ordered: string[] = []
  let left = rows
  while (left.length > 0) {
    const free = left.filter(({ name }) => !left.some((other) => other.refersTo.includes(name)))
    if (free.length === 0) throw new Error('Tables refer to each other in a circle')
    ordered.push(...free.map(({ name }) => name))
    left = left.filter((row) => !free.includes(row))
  }
  return ordered
}

/**
 * Ends a deletion after its last rows, and records it: the subscription keeps its id, for the audit log, and its name is free again. A second
 * call changes nothing.
 */
export async function endDeletion(
  db: Db,
  subscriptionId: number,
  { actor, rows }: { actor: Actor; rows: number },
): Promise<void> {
  await db.transaction(async (trx) => {
    const renamed = await queryRows(
      trx,
      sql`update subscriptions set name = 'deleted-' || id
          where id = ${subscriptionId} and deleted_at is not null and name <> 'deleted-' || id returning 1`,
    )
    if (renamed.length > 0)
      await recordAudit(trx, { subscriptionId, actor, action: 'subscription.deleted', detail: { rows } })
  })
}
