import { randomBytes } from 'node:crypto'
import { PROCESS_NAMES } from '../postgres/application-name.ts'
import { type DatabaseOptions, type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

export type ProcessKind = 'web' | 'worker'

/** A process of this service that is connected to the database. */
export interface ServiceProcess {
  /** null of a command, and of a version that did not name its processes. */
  readonly kind: ProcessKind | null
  /** Version of the service; null as `kind`. */
  readonly version: string | null
  /** Number of the newest migration that it knows; null of the first versions. */
  readonly schema: string | null
  /** Tells processes apart; null as `kind`: all of these are one row. */
  readonly id: string | null
  readonly sessions: number
  /** Sessions that run a statement at this moment. */
  readonly busy: number
  /** When the oldest of its sessions began; null if they belong to another role. */
  readonly since: Date | null
  /** Address that its sessions come from; null on the same machine, and for another role. */
  readonly address: string | null
}

/** Names this process in the sessions that it opens, so that `listProcesses` finds it. */
export const nameSessions = (
  database: DatabaseOptions,
  { kind, version }: { kind: ProcessKind; version: string },
): DatabaseOptions => ({ ...database, sessionName: `${kind} ${version} ${PROCESS_ID}` })

/** Of this process: a machine may run several, and containers have the same process id. */
const PROCESS_ID = randomBytes(4).toString('hex')

const NAME = /^inkling(?: (?<schema>\d{4})(?: (?<kind>web|worker) (?<version>\S+) (?<id>[0-9a-f]{8}))?)?$/

/** Processes listed at most. */
const MAX_PROCESSES = 500

/**
 * Lists the processes that have a session, by the name of their sessions: a process that has not used the database for half a minute has
 * none. Behind a pooler, a process stays listed until the pooler closes the session.
 */
export async function listProcesses(db: Db): Promise<ServiceProcess[]> {
  const rows = await queryRows<Omit<ServiceProcess, 'kind' | 'version' | 'schema' | 'id'> & { name: string }>(
    db,
    sql`select application_name as name, count(*)::int as sessions,
               count(*) filter (where state = 'active' and pid <> pg_backend_pid())::int as busy,
               min(backend_start) as since, min(host(client_addr)) as address
        from pg_stat_activity
        where datname = current_database() and application_name ~ ${PROCESS_NAMES}
        group by 1 order by 1 limit ${MAX_PROCESSES}`,
  )
  return rows.map(({ name, ...sessions }) => {
    const { schema = null, kind = null, version = null, id = null } = NAME.exec(name)?.groups ?? {}
    return { kind: kind as ProcessKind | null, version, schema, id, ...sessions }
  })
}
