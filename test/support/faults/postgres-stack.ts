import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { migrateDatabase } from '../../../db/migrate-database.ts'
import { findFreePort } from '../../../scripts/servers/find-free-port.ts'
import { type PostgresServer, startPostgres } from '../../../scripts/servers/start-postgres.ts'
import { createDatabase } from '../databases.ts'
import { startTestStack, type TestStack } from '../test-stack.ts'
import { makeServerDirectory } from './server-directory.ts'

/** A stack with its own Postgres server, with default settings: commits are flushed to disk. */
export interface PostgresStack extends TestStack {
  /** URL of the server itself, not of the proxy. */
  readonly serverUrl: string
  /** Kills the server with SIGKILL, like a machine failure: it cannot write anything more. */
  killPostgres(): Promise<void>
  /** Restarts the server with its data directory. */
  startPostgres(): Promise<void>
}

/**
 * Opens a stack with its own Postgres.
 *
 * @param options.env of its processes.
 * @param options.temporary the server is faster, and not crash-safe.
 */
export async function openPostgresStack({
  temporary = false,
  ...options
}: {
  env?: Record<string, string>
  temporary?: boolean
} = {}): Promise<PostgresStack> {
  const directory = await makeServerDirectory()
  const port = await findFreePort()
  const start = () => startPostgres({ directory, port, temporary })
  let server = await start().catch(async (error) => {
    await rm(directory, { recursive: true, force: true })
    throw error
  })
  await createDatabase(server.url('postgres'), 'inkling')
  const [url, ownerUrl] = [server.runtimeUrl('inkling'), server.url('inkling')]
  await migrateDatabase({ url: ownerUrl, poolMax: 2 }, { url, poolMax: 2 })
  const stack = await startTestStack({ ...options, database: { url, ownerUrl, drop: async () => undefined } })
  return {
    ...stack,
    serverUrl: server.url('postgres'),
    async killPostgres() {
      process.kill(await findPostmaster(server), 'SIGKILL')
      await server.ended
      await Promise.all([server.kill(), stack.postgres.cut()])
    },
    async startPostgres() {
      server = await start()
      await stack.postgres.restore()
    },
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]()
      await server.kill()
      await rm(server.directory, { recursive: true, force: true })
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Reads the process id of the postmaster from the first line of the lock file. */
async function findPostmaster({ directory }: PostgresServer): Promise<number> {
  const [line = ''] = (await readFile(join(directory, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')
  const pid = Number(line)
  if (!(pid > 1)) throw new Error(`${line} is not a process id`)
  return pid
}
