import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { CommandIo } from '../cli/command-io.ts'
import { completionCommand } from './completion.ts'

/** A command with subcommands, in a module of its own. */
interface Group {
  readonly name: string
  readonly description: string
  /** Loads the function that declares the subcommands. */
  load(): Promise<(group: Command, io: CommandIo) => void>
}

const GROUPS: readonly Group[] = [
  {
    name: 'subscription',
    description: 'Manage subscriptions (tenants)',
    load: async () => (await import('./subscription.ts')).subscriptionCommands,
  },
  {
    name: 'user',
    description: 'Manage users of the portal',
    load: async () => (await import('./user.ts')).userCommands,
  },
  {
    name: 'sso',
    description: 'Set up single sign-on, and confirm its e-mail domains',
    load: async () => (await import('./sso.ts')).ssoCommands,
  },
  {
    name: 'key',
    description: 'Create, list and revoke API keys',
    load: async () => (await import('./key.ts')).keyCommands,
  },
  {
    name: 'site-key',
    description: 'Create, list, rotate and revoke the public keys with which pages collect captures',
    load: async () => (await import('./site-key.ts')).siteKeyCommands,
  },
  {
    name: 'webhook',
    description: 'Create, test and delete webhooks, show what was delivered, and deliver it again',
    load: async () => (await import('./webhook.ts')).webhookCommands,
  },
  {
    name: 'limits',
    description: 'Show and set limits of requests, datasets and stored bytes',
    load: async () => (await import('./limits.ts')).limitsCommands,
  },
  {
    name: 'scorecard',
    description:
      'Manage scorecards: draft, challenger (scores in shadow mode), champion (its scores are returned), retired',
    load: async () => (await import('./scorecard.ts')).scorecardCommands,
  },
  {
    name: 'fragment',
    description: 'Manage the fragments of insights',
    load: async () => (await import('./fragment.ts')).fragmentCommands,
  },
  {
    name: 'dataset',
    description: 'Inspect, reprocess, rescore and delete datasets',
    load: async () => (await import('./dataset.ts')).datasetCommands,
  },
  {
    name: 'person',
    description: 'Export and erase what is stored of a person',
    load: async () => (await import('./person.ts')).personCommands,
  },
  {
    name: 'audit',
    description: 'Verify the audit log',
    load: async () => (await import('./audit.ts')).auditCommands,
  },
  {
    name: 'operator',
    description: 'Manage the accounts of operators, for /ops',
    load: async () => (await import('./operator.ts')).operatorCommands,
  },
  {
    name: 'token-key',
    description: 'Manage the keys that sign access tokens',
    load: async () => (await import('./token-key.ts')).tokenKeyCommands,
  },
  {
    name: 'data-key',
    description: 'Manage the keys that encrypt personal data',
    load: async () => (await import('./data-key.ts')).dataKeyCommands,
  },
  {
    name: 'capture-store',
    description: 'Manage the object storage of captures',
    load: async () => (await import('./capture-store.ts')).captureStoreCommands,
  },
]

/**
 * Declares the operator's command; parsing throws a CommanderError for invalid usage.
 *
 * @param words loads only the groups that are among these arguments, because all of them take 0.4 s of processor time; by
 * default all are loaded.
 */
export async function declareAdmin(io: CommandIo, words?: readonly string[]): Promise<Command> {
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
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })

  for (const { name, description, load } of GROUPS) {
    const group = program.command(name).description(description)
    if (!words || words.includes(name)) (await load())(group, io)
  }
  completionCommand(program, io, () => declareAdmin(io))
  return program
}
