import { Command, CommanderError } from 'commander'
import { datasetCommands } from './admin-commands/dataset.ts'
import { fragmentCommands } from './admin-commands/fragment.ts'
import { keyCommands } from './admin-commands/key.ts'
import { Refusal } from './admin-commands/refusal.ts'
import { scorecardCommands } from './admin-commands/scorecard.ts'
import { subscriptionCommands } from './admin-commands/subscription.ts'
import { tokenKeyCommands } from './admin-commands/token-key.ts'
import { userCommands } from './admin-commands/user.ts'
import { endWithReader } from './end-with-reader.ts'

endWithReader()

const program = new Command('scripts/admin')
  .description(
    "The operator's command. Answers one JSON object on stdout; errors go to stderr with exit code 1.",
  )
  .addHelpText(
    'after',
    `
SUBSCRIPTION is a name or an id. DATABASE_URL says where Postgres is, REDIS_URL where the queue is, if not there too.

Examples:
  scripts/admin subscription create "Acme Lending"
  printf %s "$PASSWORD" | scripts/admin user create "Acme Lending" ann@acme.example --role analyst --password-stdin
  scripts/admin key create "Acme Lending" --role uploader --label backend
  scripts/admin dataset list "Acme Lending" --status invalid`,
  )
  .exitOverride()

for (const commands of [
  subscriptionCommands,
  userCommands,
  keyCommands,
  scorecardCommands,
  fragmentCommands,
  datasetCommands,
  tokenKeyCommands,
])
  commands(program)

/** @see PostgreSQL manual, appendix A, error codes */
const UNDEFINED_TABLE = '42P01'
const UNSTORABLE = ['22P05', '22021']
const NOT_MIGRATED = 'The database is not migrated: run the release process, node db/migrate.ts'
const NOT_STORABLE = 'A text holds what Postgres cannot store: NUL, or half of a surrogate pair'

try {
  await program.parseAsync()
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
