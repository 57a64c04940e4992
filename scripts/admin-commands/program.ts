import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { completionCommand } from './completion.ts'
import { datasetCommands } from './dataset.ts'
import { fragmentCommands } from './fragment.ts'
import { keyCommands } from './key.ts'
import { scorecardCommands } from './scorecard.ts'
import { subscriptionCommands } from './subscription.ts'
import { tokenKeyCommands } from './token-key.ts'
import { userCommands } from './user.ts'

/** Declares the operator's command with all its subcommands; parsing throws a CommanderError for wrong usage. */
export function declareAdmin(): Command {
  const program = new Command('scripts/admin')
    .description(
      "The operator's command. Answers one JSON object on stdout; errors go to stderr with exit code 1, or 2 for wrong usage.",
    )
    .version(manifest.version)
    .addHelpText(
      'after',
      `
SUBSCRIPTION is a name or an id. DATABASE_URL says where Postgres is, REDIS_URL where the queue is, if not there too.

Examples:
  scripts/admin subscription create "Acme Lending"
  printf %s "$PASSWORD" | scripts/admin user create "Acme Lending" ann@acme.example --role analyst --password-stdin
  scripts/admin key create "Acme Lending" --role uploader --label backend
  scripts/admin user reset "Acme Lending" ann@acme.example
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
    completionCommand,
  ])
    commands(program)
  return program
}
