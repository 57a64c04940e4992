import { CommanderError } from 'commander'
import { declareAdmin } from './admin-commands/program.ts'
import { Refusal } from './admin-commands/refusal.ts'
import { endWithReader } from './end-with-reader.ts'

endWithReader()

/** @see PostgreSQL manual, appendix A, error codes */
const UNDEFINED_TABLE = '42P01'
const UNSTORABLE = ['22P05', '22021']
const NOT_MIGRATED = 'The database is not migrated: run the release process, scripts/node db/migrate.ts'
const NOT_STORABLE = 'A text holds what Postgres cannot store: NUL, or half of a surrogate pair'

try {
  await declareAdmin().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 1
  else {
    process.stderr.write(`${messageOf(error)}\n`)
    process.exitCode = 1
  }
}

/** One sentence for what an operator can mend; the whole stack for what is our fault. */
function messageOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  if (error instanceof Error && UNSTORABLE.some((code) => 'code' in error && error.code === code))
    return NOT_STORABLE
  if (error instanceof Error && 'code' in error)
    return error.code === UNDEFINED_TABLE ? NOT_MIGRATED : error.message || String(error.code)
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
