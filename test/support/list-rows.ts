import { type Db, queryRows } from '../../db/postgres/database.ts'

/** Says when a credential was last used, which is no change of what it is. */
const VOLATILE = ['last_used_at']

/**
 * All rows of all our tables, or those of one subscription, by table: what a test compares to see that nothing changed.
 * Tables that count attempts, of whoever, are left out.
 */
export async function listRows(db: Db, subscriptionId?: number): Promise<Record<string, string[]>> {
  const tables = await queryRows<{ name: string; owned: boolean }>(
    db,
    `select t.table_name as name, bool_or(c.column_name = 'subscription_id') as owned
     from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
     where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and t.table_name <> 'login_attempts'
     group by 1 order by 1`,
  )
  const rows: Record<string, string[]> = {}
  for (const { name, owned } of tables) {
    const key = name === 'subscriptions' ? 'id' : 'subscription_id'
    if (subscriptionId !== undefined && !owned && name !== 'subscriptions') continue
    const [condition, bindings] =
      subscriptionId === undefined ? ['true', []] : [`t.${key} = ?`, [subscriptionId]]
    const found = await queryRows<{ row: string }>(
      db,
      `select (to_jsonb(t) - ?::text[])::text as row from "${name}" t where ${condition} order by 1`,
      [VOLATILE, ...bindings],
    )
    rows[name] = found.map(({ row }) => row)
  }
  return rows
}
