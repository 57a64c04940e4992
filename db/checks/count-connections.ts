import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Connections that Postgres accepts, and who has some. */
export interface ConnectionUse {
  /** `max_connections`. */
  readonly max: number
  /** Reserved for superusers and for members of pg_use_reserved_connections. */
  readonly reserved: number
  /** Sessions of this service in this database. */
  readonly own: number
  /** Sessions of other applications, and of this service in other databases. */
  readonly others: number
  /** The limits of the role and of the database; null where there is none. */
  readonly roleLimit: number | null
  readonly databaseLimit: number | null
}

export async function countConnections(db: Db): Promise<ConnectionUse> {
  const [use] = await queryRows<ConnectionUse>(
    db,
    // every role sees the database and the name of all sessions; those without a database are processes of Postgres
    sql`select current_setting('max_connections')::int as max,
               current_setting('superuser_reserved_connections')::int
                 + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved,
               count(*) filter (where is_own)::int as own,
               count(*) filter (where not is_own)::int as others,
               (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user) as "roleLimit",
               (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as "databaseLimit"
        from (
          select datname = current_database() and application_name ~ '^inkling( |$)' as is_own
          from pg_stat_activity where datname is not null
        ) sessions`,
  )
  if (!use) throw new Error('A count returned no row')
  return use
}
