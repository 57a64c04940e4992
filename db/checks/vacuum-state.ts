import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** A session with a snapshot, which keeps every vacuum from removing what has changed since. */
export interface LongTransaction {
  readonly pid: number
  readonly application: string
  /** null where this role may not see it. */
  readonly seconds: number | null
  /** Transactions that began since. */
  readonly transactions: number
}

/** What keeps Postgres from removing old versions of rows and old transaction ids. */
export interface VacuumState {
  readonly autovacuum: boolean
  /** Age of the oldest transaction id that is still stored, in transactions: Postgres stops accepting changes at 2.1 billion. */
  readonly oldestId: number
  /** The longest ones, at most three. */
  readonly longTransactions: readonly LongTransaction[]
  /** Names of prepared transactions that are older than 10 minutes, at most three. */
  readonly preparedTransactions: readonly string[]
}

/** Lists transactions older than 10 minutes, or than 5 million others where their time is hidden. */
export async function readVacuumState(db: Db): Promise<VacuumState> {
  const [state] = await queryRows<VacuumState>(
    db,
    sql`select current_setting('autovacuum') = 'on' as autovacuum,
               (select max(age(datfrozenxid)) from pg_database) as "oldestId",
               coalesce((
                 select jsonb_agg(to_jsonb(long)) from (
                   select pid, application_name as application,
                          extract(epoch from now() - xact_start)::float8 as seconds, age(backend_xmin) as transactions
                   from pg_stat_activity
                   where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()
                     and pid not in (select pid from pg_stat_progress_vacuum)
                     and (xact_start < now() - interval '10 minutes' or age(backend_xmin) > 5000000)
                   order by age(backend_xmin) desc limit 3
                 ) long
               ), '[]') as "longTransactions",
               array(
                 select gid from pg_prepared_xacts
                 where database = current_database() and prepared < now() - interval '10 minutes' order by prepared limit 3
               ) as "preparedTransactions"`,
  )
  if (!state) throw new Error('Postgres returned no state')
  return state
}
