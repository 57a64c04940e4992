import { ObjectStoreError } from '../../db/encryption/object-store-error.ts'
import { isTransientDatabaseError } from '../../db/postgres/database-errors.ts'
import { EnvError } from '../../db/runtime/env.ts'
import { UserError } from './user-error.ts'

/** By SQLSTATE. @see PostgreSQL manual, appendix A, error codes */
const DATABASE: Record<string, (message: string) => string> = {
  '42P01': () => 'The database is not migrated: run the release process, scripts/node db/migrate.ts',
  '22P05': () => NOT_STORABLE,
  '22021': () => NOT_STORABLE,
  '3D000': (message) => `Postgres: ${message}. Create it with createdb, or correct DATABASE_URL`,
  '28P01': (message) => `Postgres: ${message}. Correct the user or the password in DATABASE_URL`,
  '28000': (message) => `Postgres: ${message}. Correct the user in DATABASE_URL, or pg_hba.conf`,
  '42501': (message) =>
    `Postgres: ${message}. Run the release process with DATABASE_OWNER_URL, which grants the role of DATABASE_URL its privileges`,
}
const UNKNOWN_PARAMETER = /^unsupported startup parameter/
const NOT_STORABLE = 'A text contains a character that Postgres cannot store: NUL or an unpaired surrogate'

/** By the system error code. */
const FILES: Record<string, (path: string) => string> = {
  ENOENT: (path) => `No such file or directory: ${path}. Check the path`,
  EACCES: (path) => `No permission to open ${path}. Change its mode, or run this as another user`,
  ENOTDIR: (path) => `A part of the path ${path} is a file, not a directory. Check the path`,
}

/** One sentence for an error that an operator can fix; the stack for a bug. @param env the environment of the command. */
export function explainError(error: unknown, env: NodeJS.ProcessEnv): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof UserError || error instanceof EnvError) return error.message
  if (error instanceof ObjectStoreError)
    return `${error.message}. Check CAPTURE_STORE_URL, its credentials, and that the store runs`
  const code = 'code' in error ? String(error.code) : ''
  if ('path' in error && FILES[code]) return FILES[code](String(error.path))
  if (code === 'EISDIR') return 'Expected a file, got a directory. Check the path'
  if (UNKNOWN_PARAMETER.test(error.message))
    return `Postgres: ${error.message}. DATABASE_URL leads to a pooler: set DATABASE_DIRECT_URL to the address of Postgres itself`
  if (DATABASE[code]) return DATABASE[code](error.message)
  if (error.message.startsWith('SASL'))
    return 'Postgres requires a password. Set it in DATABASE_URL, as in postgres://user:password@host/name'
  if (isTransientDatabaseError(error) && !/^[0-9A-Z]{5}$/.test(code))
    return (
      `Postgres at ${URL.parse(env.DATABASE_URL ?? '')?.host} cannot be reached (${code || error.message}). ` +
      'Check that it runs and that DATABASE_URL is right'
    )
  if (code !== '') return error.message || code
  return error.stack ?? error.message
}
