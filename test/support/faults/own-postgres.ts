import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { migrateDatabase } from '../../../db/migrate-database.ts'
import { findFreePort } from '../../../scripts/servers/find-free-port.ts'
import { type PostgresServer, startPostgres } from '../../../scripts/servers/start-postgres.ts'
import { createDatabase } from '../databases.ts'
import { startTestStack, type TestStack } from '../test-stack.ts'
import { makeServerDirectory } from './server-directory.ts'

/** A stack whose Postgres is a server of its own, at its default settings: a commit is on disk. */
export interface PostgresHouse extends TestStack {
  /** Of its server, not by way of the proxy. */
  readonly serverUrl: string
  /** Kills the server by SIGKILL, as a machine that fails: it has no time to write anything. */
  killPostgres(): Promise<void>
  /** Starts it again, on what is on its disk. */
  startPostgres(): Promise<void>
}

/** Opens a stack with its own Postgres. @param options.env of its processes. */
export async function openPostgresHouse(
  options: { env?: Record<string, string> } = {},
): Promise<PostgresHouse> {
  const directory = await makeServerDirectory()
  const port = await findFreePort()
  const start = () => startPostgres({ directory, port })
  let server = await start().catch(async (error) => {
    await rm(directory, { recursive: true, force: true })
    throw error
  })
  await createDatabase(server.url('postgres'), 'inkling')
  const url = server.url('inkling')
  await migrateDatabase({ url, poolMax: 2 })
  const stack = await startTestStack({ ...options, database: { url, drop: async () => undefined } })
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

/** The first line of its lock file is the process that all others of the server come from. */
async function findPostmaster({ directory }: PostgresServer): Promise<number> {
  const [line = ''] = (await readFile(join(directory, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')
  const pid = Number(line)
  if (!(pid > 1)) throw new Error(`${line} is no process`)
  return pid
}
