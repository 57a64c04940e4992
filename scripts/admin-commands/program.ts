import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { completionCommand } from './completion.ts'
import { datasetCommands } from './dataset.ts'
import { fragmentCommands } from './fragment.ts'
import { keyCommands } from './key.ts'
import { scorecardCommands } from './scorecard.ts'
import { siteKeyCommands } from './site-key.ts'
import { subscriptionCommands } from './subscription.ts'
import { tokenKeyCommands } from './token-key.ts'
import { userCommands } from './user.ts'

/** Declares the operator's command with all subcommands; parsing throws a CommanderError for invalid usage. */
export function declareAdmin(): Command {
  const program = new Command('scripts/admin')
    .description(
      "The operator's command. Prints one JSON object to stdout; errors go to stderr with exit code 1, or 2 for invalid usage.",
    )
    .version(manifest.version)
    .addHelpText(
      'after',
      `
SUBSCRIPTION is a name or an id. DATABASE_URL is the address of Postgres; REDIS_URL is that of the queue, unless the queue
is in Postgres.

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
    siteKeyCommands,
    scorecardCommands,
    fragmentCommands,
    datasetCommands,
    tokenKeyCommands,
    completionCommand,
  ])
    commands(program)
  return program
}
