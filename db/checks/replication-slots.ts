import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** A place in the write-ahead log that Postgres keeps for a replica or a consumer of changes. */
export interface ReplicationSlot {
  readonly name: string
  readonly active: boolean
  /** `lost` if the log it needs was removed. @see PostgreSQL manual, pg_replication_slots */
  readonly status: string | null
  /** Bytes of the log that are kept for it. */
  readonly retained: number
}

/** Lists all slots of the server, those first for which most is kept. */
export function listReplicationSlots(db: Db): Promise<ReplicationSlot[]> {
  return queryRows(
    db,
    sql`select slot_name::text as name, active, wal_status as status,
               coalesce(pg_wal_lsn_diff(
                 case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, restart_lsn
               ), 0)::float8 as retained
        from pg_replication_slots order by retained desc, name limit 100`,
  )
}
