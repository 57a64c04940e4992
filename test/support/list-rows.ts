import pg from 'pg'
import { type Db, queryRows } from '../../db/postgres/database.ts'

/** Columns to ignore: the last use of a credential does not change the credential. */
const VOLATILE = ['last_used_at']

interface Table {
  readonly name: string
  /** Whether it has a column to ignore. */
  readonly volatile: boolean
  /** Whether its rows belong to subscriptions. */
  readonly owned: boolean
}

const tablesOf = new WeakMap<Db, Promise<readonly Table[]>>()

/** Reads the catalogue, as the views of information_schema take 20 times as long. */
const findTables = (db: Db): Promise<readonly Table[]> =>
  queryRows<Table>(
    db,
    `select relname as name, exists (
       select from pg_attribute where attrelid = c.oid and attname = any(?) and not attisdropped
     ) as volatile, exists (
       select from pg_attribute where attrelid = c.oid and attname = 'subscription_id' and not attisdropped
     ) as owned
     from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'login_attempts' and not relispartition
     order by 1`,
    [VOLATILE],
  )

/**
 * Returns a text for each row of our tables, or of those of one subscription, by table: a test compares them to check that nothing
 * changed. Excludes the table of login attempts.
 *
 * The text is the place of the row and the transaction that wrote it, which every change replaces: its content may be large. A row
 * with a column to ignore is its content.
 */
export async function listRows(db: Db, subscriptionId?: number): Promise<Record<string, string[]>> {
  const tables = tablesOf.get(db) ?? findTables(db)
  tablesOf.set(db, tables)
  const listed = (await tables).filter(
    ({ name, owned }) => subscriptionId === undefined || owned || name === 'subscriptions',
  )
  const selects = listed.map(({ name, volatile }) => {
    const key = name === 'subscriptions' ? 'id' : 'subscription_id'
    const condition = subscriptionId === undefined ? 'true' : `t.${key} = ${Number(subscriptionId)}`
    const row = volatile ? '(to_jsonb(t) - ?::text[])::text' : "t.ctid || ' ' || t.xmin"
    return `select ${pg.escapeLiteral(name)} as name, ${row} as row
            from ${pg.escapeIdentifier(name)} t where ${condition}`
  })
  const found = await queryRows<{ name: string; row: string }>(
    db,
    `${selects.join(' union all ')} order by 1, 2`,
    listed.filter(({ volatile }) => volatile).map(() => VOLATILE),
  )
  const rows = Object.fromEntries(listed.map(({ name }): [string, string[]] => [name, []]))
  for (const { name, row } of found) rows[name]?.push(row)
  return rows
}
