import type pg from 'pg'

/** A session that keeps sessions of the release process waiting for a lock. */
export interface Blocker {
  /** 0: a prepared transaction. */
  readonly pid: number
  readonly application: string | null
  readonly role: string | null
  /** These are null where the role of the release process may not see them. */
  readonly state: string | null
  readonly transactionSeconds: number | null
  readonly statementSeconds: number | null
}

/**
 * Lists up to five sessions that block those with this application name in this database, the longest transaction first. The session that asks is not
 * among them, though an index that is built concurrently waits for its statement too.
 */
export async function findBlockers(client: pg.ClientBase, applicationName: string): Promise<Blocker[]> {
  const { rows } = await client.query<Blocker>(
    `select blocking.pid, nullif(a.application_name, '') as application, a.usename as role, a.state,
            extract(epoch from clock_timestamp() - a.xact_start)::int as "transactionSeconds",
            extract(epoch from clock_timestamp() - a.query_start)::int as "statementSeconds"
     from (
       select distinct unnest(pg_blocking_pids(pid)) as pid from pg_stat_activity
       where datname = current_database() and application_name = $1 and wait_event_type = 'Lock'
     ) blocking
     left join pg_stat_activity a using (pid)
     where blocking.pid <> pg_backend_pid()
     order by a.xact_start nulls last, blocking.pid limit 5`,
    [applicationName],
  )
  return rows
}

/** Describes a session for an operator who has to decide whether to end it: process, application, role, and how old its work is. */
export function describeBlocker(blocker: Blocker): string {
  const { pid, application, role, state, transactionSeconds, statementSeconds } = blocker
  if (pid === 0) return 'a prepared transaction (see pg_prepared_xacts)'
  const work =
    state === null
      ? 'age hidden from this role: grant it pg_read_all_stats'
      : state === 'active'
        ? `statement runs for ${statementSeconds} s`
        : `${state} for ${statementSeconds} s, transaction open for ${transactionSeconds} s`
  return `process ${pid} (${application ?? 'without a name'}, role ${role}, ${work})`
}
