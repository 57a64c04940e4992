import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { inject } from 'vitest'
import { findFreePort } from '../../../scripts/servers/find-free-port.ts'

/** A Postgres server with matching dump and restore tools. */
export interface DumpablePostgres extends AsyncDisposable {
  /** URL of its database `postgres`. */
  readonly url: string
  /** Directory of `pg_dump`, `pg_restore` and the other client programs of its version. */
  readonly toolDirectory: string
}

const TOOLS = ['pg_dump', 'pg_restore', 'createdb', 'psql', 'vacuumdb']

/** Lists the directories on the PATH that contain a file, including the targets of symbolic links. */
const directoriesWith = (name: string): string[] =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .filter((file) => existsSync(file))
    .flatMap((file) => [dirname(file), dirname(realpathSync(file))])

function majorOf(file: string): number {
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' })
  return Number(/(\d+)/.exec(stdout ?? '')?.[1] ?? 0)
}

/** Major version of the tests' Postgres. pg_dump cannot dump servers newer than itself. */
const SERVER_MAJOR = 18

/** Finds tools that are new enough for the tests' Postgres; otherwise older tools together with their own server. */
function findTools(): { directory: string; ownServer: boolean } | undefined {
  const directories = [...directoriesWith('pg_dump'), ...directoriesWith('postgres')]
  const has = (directory: string, ...names: string[]) =>
    names.every((name) => existsSync(join(directory, name)))
  const withTools = directories.filter((directory) => has(directory, ...TOOLS))
  const newer = withTools.find((directory) => majorOf(join(directory, 'pg_dump')) >= SERVER_MAJOR)
  if (newer !== undefined) return { directory: newer, ownServer: false }
  const whole = withTools.find((directory) => has(directory, 'postgres', 'initdb'))
  return whole === undefined ? undefined : { directory: whole, ownServer: true }
}

/** Returns the reason why this machine cannot dump Postgres; undefined if it can. */
export const whyNotDumpable = (): string | undefined =>
  findTools()
    ? undefined
    : `there is neither a pg_dump ${SERVER_MAJOR} on the PATH nor an older one with its server`

/** Opens the tests' Postgres or, if pg_dump is older, a server of pg_dump's version. */
export async function openDumpablePostgres(): Promise<DumpablePostgres> {
  const tools = findTools()
  if (!tools) throw new Error(whyNotDumpable())
  const toolDirectory = tools.directory
  if (!tools.ownServer)
    return { url: inject('postgresUrl'), toolDirectory, [Symbol.asyncDispose]: async () => undefined }

  const directory = await mkdtemp('/tmp/inkling-postgres-')
  const cluster = join(directory, 'cluster')
  const user = process.getuid?.() === 0 ? findPostgresUser() : undefined // Postgres does not run as root
  if (user) await chown(directory, user.uid, user.gid)
  await chmod(directory, 0o700)
  const options = { ...user, cwd: '/' }
  execFileSync(
    join(tools.directory, 'initdb'),
    ['-D', cluster, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'],
    {
      ...options,
      stdio: 'ignore',
    },
  )
  const port = await findFreePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: 200,
  }
  const server = spawn(
    join(tools.directory, 'postgres'),
    ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const kill = () => void server.kill('SIGQUIT')
  process.once('exit', kill)
  await new Promise<void>((resolve, reject) => {
    let output = ''
    server.stderr.setEncoding('utf8').on('data', (text) => {
      output += text
      if (output.includes('ready to accept connections')) resolve()
    })
    server.once('exit', () => reject(new Error(`Postgres did not start:\n${output}`)))
  })
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    toolDirectory,
    async [Symbol.asyncDispose]() {
      process.off('exit', kill)
      server.kill('SIGQUIT')
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Returns the ids of the user `postgres`, or of nobody. */
function findPostgresUser(): { uid: number; gid: number } {
  const id = (flag: string) =>
    Number.parseInt(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout, 10)
  const user = { uid: id('-u'), gid: id('-g') }
  return Number.isNaN(user.uid + user.gid) ? { uid: 65_534, gid: 65_534 } : user
}
