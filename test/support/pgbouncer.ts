import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from '../../scripts/servers/find-free-port.ts'
import { startCommand } from '../../scripts/servers/start-command.ts'
import { findProgram } from './find-program.ts'
import { PROJECT } from './start-process.ts'

/** The reason for skipping tests that need PgBouncer; undefined where it is installed. */
export const withoutPgbouncer = findProgram(['pgbouncer'])
  ? undefined
  : 'PgBouncer is not installed: apt-get install pgbouncer'

/** A PgBouncer in transaction mode. */
export interface Pgbouncer extends AsyncDisposable {
  /** Returns the URL that leads to a database through it. */
  pooled(url: string): string
}

/** The user `nobody`; PgBouncer does not run as root. */
const NOBODY = 65_534

const EXAMPLE = join(PROJECT, 'deploy/server/pgbouncer.ini')

/**
 * Starts PgBouncer as docs/operations/server.md does, with the settings of its example.
 *
 * @param owner URL of Postgres, whose databases and roles it serves, as a superuser.
 * @param options.poolSize sessions of Postgres for each role and database.
 */
export async function startPgbouncer(owner: string, options: { poolSize: number }): Promise<Pgbouncer> {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-pgbouncer-'))
  const server = new URL(owner)
  const port = await findFreePort()
  const changes: Record<string, string> = {
    inkling: `host=${server.hostname} port=${server.port}`,
    listen_port: String(port),
    auth_file: join(directory, 'users.txt'),
    default_pool_size: String(options.poolSize),
  }
  const settings = (await readFile(EXAMPLE, 'utf8'))
    .replaceAll(/^(\w+) = .*$/gm, (line, name) => (name in changes ? `${name} = ${changes[name]}` : line))
    .replace(/^inkling = /m, '* = ')
  const files = { 'users.txt': await listUsers(owner), 'pgbouncer.ini': settings }
  for (const [name, text] of Object.entries(files))
    await writeFile(join(directory, name), text, { mode: 0o600 })
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    await chmod(directory, 0o711)
    for (const name of Object.keys(files)) await chown(join(directory, name), NOBODY, NOBODY)
  }
  const log = join(directory, 'pgbouncer.log')
  const running = await startCommand({
    name: 'PgBouncer',
    command: 'pgbouncer',
    args: [...(isRoot ? ['--user=nobody'] : []), join(directory, 'pgbouncer.ini')],
    cwd: '/',
    env: process.env,
    log,
    graceMs: 1_000,
  })
  const pooled = (url: string) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href
  for (const deadline = Date.now() + 10_000; !(await connects(pooled(owner))); await delay(20))
    if (Date.now() > deadline) throw new Error(`PgBouncer did not start:\n${await readFile(log, 'utf8')}`)
  return {
    pooled,
    async [Symbol.asyncDispose]() {
      await running.kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The roles and what Postgres keeps of their passwords, with which PgBouncer signs in as the client that signed in to it. */
async function listUsers(owner: string): Promise<string> {
  const client = new pg.Client(owner)
  await client.connect()
  const { rows } = await client.query<{ line: string }>(
    `select format('"%s" "%s"', rolname, rolpassword) as line from pg_authid where rolpassword is not null`,
  )
  await client.end()
  return rows.map(({ line }) => `${line}\n`).join('')
}

async function connects(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
