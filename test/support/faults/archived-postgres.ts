import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type pg from 'pg'
import { findFreePort } from '../../../scripts/servers/find-free-port.ts'
import { readProcfile } from '../../../scripts/servers/procfile.ts'
import { queryOnce } from '../databases.ts'
import { findProgram, isProgram } from '../find-program.ts'
import { PROJECT } from '../start-process.ts'

/** Debian's Postgres, that of docs/operations/server.md and its pgbackrest.conf. */
const BIN = '/usr/lib/postgresql/15/bin'

/** The paths of docs/operations/backup.md. */
const DATA = '/var/lib/postgresql/15/main'
const REPOSITORY = '/var/lib/pgbackrest'

/** Returns the reason why this machine cannot run the commands of the guide; undefined if it can. */
export function whyNotArchived(): string | undefined {
  if (process.getuid?.() !== 0 || spawnSync('id', ['postgres']).status !== 0)
    return 'it needs to be root, beside a user postgres'
  if (!isProgram(join(BIN, 'initdb'))) return "it needs Debian's postgresql-15"
  return findProgram(['pgbackrest']) === undefined ? 'pgbackrest is not installed' : undefined
}

/** A cluster of Debian's Postgres whose write-ahead log can be archived, in a directory of its own. */
export interface ArchivedPostgres extends AsyncDisposable {
  /** Of the role of web and worker. */
  readonly url: string
  /** Of the role that owns the tables. */
  readonly ownerUrl: string
  /** As the administrator. */
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>
  /**
   * Runs commands of docs/operations/backup.md, as they are but for the paths, in a shell where systemctl starts and stops this cluster and runs the release.
   *
   * @param env for the release, and `REDIS_URL`.
   * @throws if one fails.
   */
  paste(commands: string, env: Record<string, string>): Promise<string>
  /** Kills the server and deletes tables and log, like a disk that is lost. */
  destroy(): Promise<void>
}

/** The processes of a killed Postgres still write for a moment. */
const GONE = { recursive: true, force: true, maxRetries: 50, retryDelay: 100 } as const

/** Creates and starts the cluster with the roles and the database of docs/operations/server.md. */
export async function openArchivedPostgres(): Promise<ArchivedPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-archive-'))
  const cluster = join(directory, 'main')
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const own = (path: string) => chown(path, id('-u'), id('-g'))
  await chmod(directory, 0o755)
  for (const name of ['main', 'conf.d', 'repository', 'socket', 'cron.d']) {
    await mkdir(join(directory, name))
    await own(join(directory, name))
  }
  const asPostgres = (...command: string[]) =>
    execFileSync('runuser', ['-u', 'postgres', '--', ...command], { cwd: '/', stdio: 'pipe' })
  asPostgres(
    join(BIN, 'initdb'),
    ...['-D', cluster, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
  )
  const port = await findFreePort()
  const socket = join(directory, 'socket')
  await appendFile(
    join(cluster, 'postgresql.conf'),
    `port = ${port}\nunix_socket_directories = '${socket}'\nlisten_addresses = '127.0.0.1'\ninclude_dir = '${join(directory, 'conf.d')}'\n`,
  )
  const environment = {
    PATH: [BIN, process.env.PATH].join(delimiter),
    PGHOST: socket,
    PGPORT: String(port),
    PGUSER: 'postgres',
    PGDATABASE: 'postgres',
    PGBACKREST_CONFIG: join(directory, 'pgbackrest.conf'),
    PGBACKREST_PG1_SOCKET_PATH: socket,
    PGBACKREST_LOCK_PATH: join(directory, 'socket'),
    PGBACKREST_LOG_LEVEL_FILE: 'off',
  }
  const inDirectory = (text: string) =>
    text
      .replaceAll(DATA, cluster)
      .replaceAll(REPOSITORY, join(directory, 'repository'))
      .replaceAll('/etc/postgresql/15/main/', `${directory}/`)
      .replaceAll('/etc/pgbackrest.conf', join(directory, 'pgbackrest.conf'))
      .replaceAll('/etc/cron.d/', `${directory}/cron.d/`)

  const control = `
    control() { runuser -u postgres -- pg_ctl --pgdata='${cluster}' --log='${socket}/log' --wait --silent "$@" || { cat '${socket}/log' >&2; return 1; }; }
    readlink() { echo releases/this-one; }
    apt-get() { :; }
    sed() { command sed "$@" | command sed -e 's|${REPOSITORY}|${directory}/repository|' -e 's|${DATA}|${cluster}|' -e 's|^pg1-port=.*|pg1-port=${port}|'; }
    systemctl() {
      case "$*" in
        'stop postgresql@15-main') control stop --mode=fast || true ;;
        'start postgresql@15-main') control start ;;
        'restart postgresql@15-main') control restart --mode=fast ;;
        'start inkling-release@this-one') (cd "$PROJECT" && exec sh -c "$RELEASE") ;;
        *) echo "systemctl $*" ;;
      esac
    }
  `
  async function shell(commands: string, env: Record<string, string> = {}): Promise<string> {
    const { stdout } = await promisify(execFile)(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', control + commands],
      {
        cwd: join(PROJECT, 'deploy/server'),
        env: { ...env, ...environment, PROJECT, RELEASE: readProcfile(PROJECT)('release') },
      },
    )
    return stdout
  }

  const kill = () =>
    void spawnSync(
      'runuser',
      ['-u', 'postgres', '--', join(BIN, 'pg_ctl'), 'stop', '-D', cluster, '-m', 'immediate'],
      {
        cwd: '/',
      },
    )
  process.once('exit', kill)
  await shell('control start')
  const urlOf = (role: string, database: string) => `postgres://${role}:${role}@127.0.0.1:${port}/${database}`
  const query = <Row extends pg.QueryResultRow>(sql: string) =>
    queryOnce<Row>(urlOf('postgres', 'postgres'), sql)
  for (const role of ['inkling', 'inkling_runtime'])
    await query(`create role ${role} login password '${role}'`)
  await query("create database inkling owner inkling encoding 'UTF8' template template0")

  return {
    url: urlOf('inkling_runtime', 'inkling'),
    ownerUrl: urlOf('inkling', 'inkling'),
    query,
    paste: (commands, env) => shell(inDirectory(commands), env),
    async destroy() {
      const [pid = ''] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
      process.kill(Number(pid), 'SIGKILL')
      for (const name of ['base', 'global', 'pg_wal', 'pg_xact', 'postmaster.pid'])
        await rm(join(cluster, name), GONE)
      // names a process that may not be gone yet; a new server would not start
      await rm(join(socket, `.s.PGSQL.${port}.lock`), GONE)
    },
    async [Symbol.asyncDispose]() {
      kill()
      process.off('exit', kill)
      await rm(directory, GONE)
    },
  }
}
