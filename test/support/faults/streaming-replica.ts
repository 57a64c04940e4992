import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findFreePort } from '../../../scripts/servers/find-free-port.ts'
import { openPostgresHome } from '../../../scripts/servers/postgres-home.ts'
import { queryOnce } from '../databases.ts'
import { killWithThisProcess } from '../start-process.ts'
import { makeServerDirectory } from './server-directory.ts'

/** A Postgres that follows another one by streaming replication, and answers queries. */
export interface StreamingReplica extends AsyncDisposable {
  /** Returns the URL of the copy of a database. */
  url(primaryUrl: string): string
  /** Runs a statement on the replica as a superuser. */
  query(statement: string): Promise<Record<string, unknown>[]>
}

/**
 * Starts a replica from a copy of the primary's files.
 *
 * @param primaryUrl of the primary, as a superuser.
 * @see PostgreSQL manual, "Making a Base Backup Using the Low Level API"
 */
export async function startStreamingReplica(primaryUrl: string): Promise<StreamingReplica> {
  const directory = await makeServerDirectory()
  const home = openPostgresHome(directory)
  const cluster = join(home.directory, 'cluster')
  await copyCluster(primaryUrl, cluster)
  const port = await findFreePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: '400', // as many as any primary of the tests
    wal_retrieve_retry_interval: '100ms',
  }
  const server = spawn(
    fileURLToPath(new URL('../native/bin/postgres', home.binaries.url)),
    ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...home.user, cwd: '/', stdio: 'ignore' },
  )
  const ended = once(server, 'exit')
  killWithThisProcess(server)

  const url = (primary: string) => Object.assign(new URL(primary), { host: `127.0.0.1:${port}` }).href
  const query = (statement: string) => queryOnce(url(primaryUrl), statement)
  for (const deadline = Date.now() + 20_000; ; await delay(50))
    try {
      await query('select')
      break
    } catch (error) {
      if (Date.now() > deadline || server.exitCode !== null) throw error
    }
  return {
    url,
    query,
    async [Symbol.asyncDispose]() {
      server.kill('SIGQUIT')
      await ended
      await rm(home.directory, { recursive: true, force: true })
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function copyCluster(primaryUrl: string, cluster: string): Promise<void> {
  const primary = new pg.Client(primaryUrl)
  await primary.connect()
  const { rows: started } = await primary.query<{ directory: string }>(
    `select current_setting('data_directory') as directory from pg_backup_start('replica', true)`,
  )
  const { directory = '' } = started[0] ?? {}
  execFileSync('cp', ['-a', directory, cluster]) // keeps the owner
  const { rows: stopped } = await primary.query<{ labelfile: string }>(
    'select labelfile from pg_backup_stop(false)',
  )
  await primary.end()
  const { username, password, port } = new URL(primaryUrl)
  await rm(join(cluster, 'postmaster.pid'))
  const { uid, gid } = await stat(cluster)
  const files = { backup_label: stopped[0]?.labelfile ?? '', 'standby.signal': '' }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(cluster, name), text)
    await chown(join(cluster, name), uid, gid)
  }
  await appendFile(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${decodeURIComponent(password)}'\n`,
  )
}
