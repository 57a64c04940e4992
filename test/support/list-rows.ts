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
 * Returns all rows of all our tables, or those of one subscription, by table: a test compares them to check that nothing
 * changed. Excludes the table of login attempts.
 */
export const listRows = (db: Db, subscriptionId?: number): Promise<Record<string, string[]>> =>
  list(db, subscriptionId, () => CONTENT)

/**
 * As `listRows`, with the place of a row and the transaction that wrote it instead of its content, which may be large: every change
 * replaces them, also one that is undone. A row with a column to ignore is its content.
 */
export const listRowVersions = (db: Db): Promise<Record<string, string[]>> =>
  list(db, undefined, ({ volatile }) => (volatile ? CONTENT : "t.ctid || ' ' || t.xmin"))

const CONTENT = `(to_jsonb(t) - array[${VOLATILE.map(pg.escapeLiteral).join()}])::text`

async function list(
  db: Db,
  subscriptionId: number | undefined,
  rowOf: (table: Table) => string,
): Promise<Record<string, string[]>> {
  const tables = tablesOf.get(db) ?? findTables(db)
  tablesOf.set(db, tables)
  const listed = (await tables).filter(
    ({ name, owned }) => subscriptionId === undefined || owned || name === 'subscriptions',
  )
  const selects = listed.map((table) => {
    const { name } = table
    const key = name === 'subscriptions' ? 'id' : 'subscription_id'
    const condition = subscriptionId === undefined ? 'true' : `t.${key} = ${Number(subscriptionId)}`
    return `select ${pg.escapeLiteral(name)} as name, ${rowOf(table)} as row
            from ${pg.escapeIdentifier(name)} t where ${condition}`
  })
  const found = await queryRows<{ name: string; row: string }>(
    db,
    `${selects.join(' union all ')} order by 1, 2`,
    [],
  )
  const rows = Object.fromEntries(listed.map(({ name }): [string, string[]] => [name, []]))
  for (const { name, row } of found) rows[name]?.push(row)
  return rows
}
