import pg from 'pg'

/** A privilege that the runtime role has and should not, and the SQL with which an administrator revokes it. */
export interface Excess {
  readonly may: string
  readonly sql: string
}

/**
 * Lists what a role may do beyond its grants by `grantPrivileges`, such as by an attribute, by its membership in another role, or
 * because everybody may.
 *
 * @param owner role that owns the tables.
 */
export async function findExcesses(
  client: pg.ClientBase,
  role: string,
  owner: string,
  schemas: readonly string[],
): Promise<Excess[]> {
  const { rows } = await client.query<Checked>(
    `select rolsuper as "superuser", rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as "attributes",
            pg_has_role(oid, $2::name, 'member') as "member",
            has_database_privilege(oid, current_database(), 'create') as "creates",
            has_database_privilege(oid, current_database(), 'temporary') as "temporary",
            array(select s from unnest($3::text[]) s where has_schema_privilege(oid, s, 'create')) as "schemas",
            has_table_privilege(oid, 'audit_events', 'update, delete, truncate') as "audit",
            current_database() as database
     from pg_roles where rolname = $1`,
    [role, owner, schemas],
  )
  const [checked] = rows
  if (!checked) return []
  const name = pg.escapeIdentifier(role)
  if (checked.superuser)
    return [{ may: 'everything, as a superuser', sql: `alter role ${name} nosuperuser;` }]
  const database = pg.escapeIdentifier(checked.database)
  const excesses: Excess[] = []
  if (checked.attributes)
    excesses.push({
      may: 'create roles or databases, replicate, or bypass row security',
      sql: `alter role ${name} nocreaterole nocreatedb noreplication nobypassrls;`,
    })
  if (checked.member)
    excesses.push({ may: `act as ${owner}`, sql: `revoke ${pg.escapeIdentifier(owner)} from ${name};` })
  else if (checked.audit)
    excesses.push({
      may: 'change the audit log by another role',
      sql: `revoke pg_write_all_data from ${name};`,
    })
  if (checked.creates)
    excesses.push({
      may: 'create schemas',
      sql: `revoke create on database ${database} from public, ${name};`,
    })
  if (checked.temporary)
    excesses.push({
      may: 'create temporary tables',
      sql: `revoke temporary on database ${database} from public, ${name};`,
    })
  for (const schema of checked.schemas)
    excesses.push({
      may: `create tables in the schema ${schema}`,
      sql: `revoke create on schema ${pg.escapeIdentifier(schema)} from public, ${name};`,
    })
  return excesses
}

interface Checked {
  readonly superuser: boolean
  readonly attributes: boolean
  readonly member: boolean
  readonly creates: boolean
  readonly temporary: boolean
  readonly schemas: readonly string[]
  readonly audit: boolean
  readonly database: string
}
