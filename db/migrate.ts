/** The release process: applies pending migrations, grants the runtime role what it needs, then exits. */
import { z } from 'zod'
import { BlockedError, migrateDatabase, PoolerError } from './migrate-database.ts'
import { databaseOptions, directOptions } from './postgres/database.ts'
import { presentRuntimeRole } from './roles/present-runtime-role.ts'
import { readEnvOrExit, releaseVariables } from './runtime/env.ts'

const INSUFFICIENT_PRIVILEGE = '42501'

const env = readEnvOrExit(z.object(releaseVariables), process.env)
try {
  const runtime = databaseOptions(env)
  const direct = directOptions(runtime)
  const ownerUrl = env.DATABASE_OWNER_URL
  const {
    applied,
    left = [],
    runtimeRole,
  } = await (ownerUrl === undefined
    ? migrateDatabase(direct, undefined, { report })
    : migrateDatabase({ ...direct, url: ownerUrl }, runtime, { report }))
  process.stdout.write(
    applied.length === 0 ? 'The database is up to date\n' : `Applied ${applied.join(', ')}\n`,
  )
  for (const name of left)
    process.stdout.write(
      `Left ${name}: a process of an earlier version is connected. Run the release process again once none is\n`,
    )
  const { lines, failed } = presentRuntimeRole(runtimeRole)
  process.stderr.write(lines.map((line) => `${line}\n`).join(''))
  if (failed) process.exitCode = 1
} catch (error) {
  const reason = error instanceof Error ? error.message || String(error) : String(error)
  const advice = adviceOn(error)
  process.stderr.write(`Could not migrate the database: ${reason}${advice && `. ${advice}`}\n`)
  process.exitCode = 1
}

function report(line: string): void {
  process.stdout.write(`${line}\n`)
}

function adviceOn(error: unknown): string {
  const owner = env.DATABASE_OWNER_URL
  if (error instanceof PoolerError)
    return `Set ${owner === undefined ? 'DATABASE_DIRECT_URL' : 'DATABASE_OWNER_URL'} to the address of Postgres itself`
  if (error instanceof BlockedError)
    return 'Wait for it to end, or end it with select pg_terminate_backend(process); then run the release process again, which continues where this one ended'
  const isRefused = error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE
  if (isRefused && owner === undefined)
    return 'Set DATABASE_OWNER_URL to the URL of the role that owns the tables'
  return ''
}
