import pg from 'pg'

/** Privileges on tables of which the runtime role may not change every row; on all others it has those of `ON_TABLES`. */
const LIMITED: Readonly<Record<string, string>> = {
  // append-only: the chain is written, and old events are pruned, by functions that run as their owner
  audit_events: 'select, insert',
  audit_chain: 'select',
  audit_heads: 'select',
  audit_deliveries: 'select, insert, update',
  security_event_counts: 'select, insert, update',
  opaque_id_secret: 'select',
  knex_migrations: 'select',
  knex_migrations_lock: 'select',
}

const ON_TABLES = 'select, insert, update, delete'
const ON_SEQUENCES = 'usage'

/**
 * Grants the runtime role what web and worker need of the owner's tables, also of later ones, and nothing else. It may neither
 * change tables nor the audit log. Idempotent; call it in a transaction, as the owner.
 *
 * Objects of others in the same schemas, such as the views of an extension, are left alone.
 *
 * @param role name of an existing role.
 */
export async function grantPrivileges(client: pg.ClientBase, role: string, schemas: readonly string[]) {
  const to = pg.escapeIdentifier(role)
  const run = (statement: string) => client.query(statement)
  const { rows } = await client.query<{ name: string; table: string; sequence: boolean }>(
    `select format('%I.%I', nspname, relname) as name, relname as table, relkind = 'S' as sequence
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where nspname = any($1) and relkind in ('r', 'p', 'v', 'S') and pg_has_role(relowner, 'usage')
     order by 1`,
    [schemas],
  )
  const isLimited = ({ name, table }: { name: string; table: string }) =>
    name === `public.${table}` && LIMITED[table] !== undefined
  const [sequences, tables] = [rows.filter((row) => row.sequence), rows.filter((row) => !row.sequence)]
  const list = (objects: readonly { name: string }[]) => objects.map(({ name }) => name).join(', ')

  const { rows: closed } = await client.query<{ database: string }>(
    `select current_database() as database where not has_database_privilege($1, current_database(), 'connect')`,
    [role],
  )
  for (const { database } of closed)
    await run(`grant connect on database ${pg.escapeIdentifier(database)} to ${to}`)
  for (const schema of schemas) {
    const within = pg.escapeIdentifier(schema)
    await run(`grant usage on schema ${within} to ${to}`)
    await run(`alter default privileges in schema ${within} grant ${ON_TABLES} on tables to ${to}`)
    await run(`alter default privileges in schema ${within} grant ${ON_SEQUENCES} on sequences to ${to}`)
  }
  await run(`grant ${ON_TABLES} on ${list(tables.filter((table) => !isLimited(table)))} to ${to}`)
  await run(`grant ${ON_SEQUENCES} on ${list(sequences)} to ${to}`)
  for (const table of tables.filter(isLimited)) {
    await run(`revoke all on ${table.name} from ${to}`) // a later table has default privileges first
    await run(`grant ${LIMITED[table.table]} on ${table.name} to ${to}`)
  }
  await run('revoke execute on function prune_audit_events from public')
  await run(`grant execute on function prune_audit_events to ${to}`)
}
