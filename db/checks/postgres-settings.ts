import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { clockDifference } from './check-clock.ts'

/** Settings of the server as they apply to a session of this role on this database. */
export interface PostgresSettings {
  /** As `server_version_num`: 180004 is 18.4. */
  readonly version: number
  /** Such as `18.4`. */
  readonly versionName: string
  readonly role: string
  readonly database: string
  readonly encoding: string
  /** Whether it rejects changes: it is a replica, or its transactions are read-only by default. */
  readonly isReadOnly: boolean
  readonly fsync: boolean
  readonly fullPageWrites: boolean
  readonly synchronousCommit: string
  /** Empty if no commit waits for another server. */
  readonly synchronousStandbys: string
  /** How far the clock of the server is ahead of this machine's, at least; negative if it is behind, 0 if no difference is certain. */
  readonly aheadMs: number
}

/** Reads the settings with one statement, which every role may run. */
export async function readPostgresSettings(db: Db): Promise<PostgresSettings> {
  const askedAt = Date.now()
  const [row] = await queryRows<PostgresSettings & { now: number }>(
    db,
    sql`select current_setting('server_version_num')::int as version,
               split_part(current_setting('server_version'), ' ', 1) as "versionName",
               current_user::text as role, current_database()::text as database,
               current_setting('server_encoding') as encoding,
               current_setting('transaction_read_only') = 'on' as "isReadOnly",
               current_setting('fsync') = 'on' as fsync,
               current_setting('full_page_writes') = 'on' as "fullPageWrites",
               current_setting('synchronous_commit') as "synchronousCommit",
               current_setting('synchronous_standby_names') as "synchronousStandbys",
               extract(epoch from clock_timestamp())::float8 * 1000 as now`,
  )
  if (!row) throw new Error('Postgres returned no settings')
  const { now, ...settings } = row
  return { ...settings, aheadMs: clockDifference(now, askedAt, Date.now()) }
}
