import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Tables that grow with datasets. */
export const GROWING_TABLES = [
  ...['datasets', 'insights', 'dataset_events', 'insight_requests'],
  ...['sightings', 'devices', 'clients', 'client_devices'],
]

/** Rows of a table as Postgres estimates them. */
interface RowEstimate {
  readonly table: string
  readonly live: number
  /** Versions of changed and deleted rows that no vacuum has removed. */
  readonly dead: number
}

/** What Postgres has not removed yet, and what keeps it from that. */
export interface DeadRows {
  /** Of the tables that grow with datasets. */
  readonly tables: readonly RowEstimate[]
  /**
   * The oldest transaction that somebody may still see as running: a transaction of this database, a replica, a replication slot or a prepared
   * transaction. No vacuum removes what has changed since. null if no snapshot is older than the newest transaction.
   */
  readonly oldestSnapshot: string | null
}

/** Reads statistics alone. Postgres shows snapshots to every role, but not how old they are: measure the time between calls. */
export async function readDeadRows(db: Db): Promise<DeadRows> {
  const [row] = await queryRows<{ tables: RowEstimate[]; oldestSnapshot: string | null }>(
    db,
    // by age: transaction ids wrap around. A vacuum has a snapshot that holds nothing back
    sql`select coalesce((
          select jsonb_agg(jsonb_build_object('table', relname, 'live', n_live_tup, 'dead', n_dead_tup) order by relname)
          from pg_stat_user_tables where schemaname = 'public' and relname = any(${GROWING_TABLES})
        ), '[]') as tables, (
          select xmin::text from (
            select backend_xmin as xmin from pg_stat_activity
            where pid <> pg_backend_pid() and (datname = current_database() or datname is null)
              and pid not in (select pid from pg_stat_progress_vacuum)
            union all select unnest(array[xmin, catalog_xmin]) from pg_replication_slots
            union all select transaction from pg_prepared_xacts where database = current_database()
          ) held
          where age(xmin) > 0 order by age(xmin) desc limit 1
        ) as "oldestSnapshot"`,
  )
  return row ?? { tables: [], oldestSnapshot: null }
}
