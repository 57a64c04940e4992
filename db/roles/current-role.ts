import type { Logger } from 'pino'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** The role with which this process uses Postgres. */
export interface CurrentRole {
  readonly name: string
  /** Whether it may change the audit log: it owns the tables, may act as their owner, or may write all of them. */
  readonly changesAudit: boolean
  /** The role that owns the tables. */
  readonly owner: string
}

export async function findCurrentRole(db: Db): Promise<CurrentRole> {
  const [role] = await queryRows<CurrentRole>(
    db,
    sql`select current_user::text as name,
               pg_has_role(relowner, 'member') or has_table_privilege(oid, 'update, delete, truncate') as "changesAudit",
               pg_get_userbyid(relowner)::text as owner
        from pg_class where oid = 'audit_events'::regclass`,
  )
  if (!role) throw new Error('There is no table audit_events')
  return role
}

/**
 * Logs a warning if this process may change the audit log. It continues: a platform that gives one URL for everything
 * leaves no choice. If Postgres is unavailable, nothing is logged.
 */
export async function warnIfOwner(db: Db, log: Logger): Promise<void> {
  const role = await findCurrentRole(db).catch(() => undefined)
  if (role?.changesAudit)
    log.warn(
      { role: role.name },
      'The role of DATABASE_URL can change the audit log: see "Two roles" in docs/operations/server.md',
    )
}
