import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_KEY_DAYS, Networks } from '../../api/keys/key-schemas.ts'
import {
  createAuditedApiKey,
  findSubscriptionOfKey,
  listApiKeys,
  MAX_LIVE_KEYS,
  revokeAuditedApiKey,
} from '../../db/accounts/api-keys.ts'
import { KEY_SCOPES, type KeyRole, type KeyScope, SCOPES_OF_ROLE } from '../../db/accounts/key-scopes.ts'
import { LABEL_NOT_EMAIL, looksLikeEmail } from '../../db/audit/actor.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { currentOperator, requireSubscription, withDatabase } from '../cli/with-database.ts'

const MAX_DAYS = 36_500

/** Days until a key expires, or `never`. */
const expiry = (value: string): number | 'never' => {
  if (value === 'never') return value
  if (!/^[1-9]\d{0,4}$/.test(value) || Number(value) > MAX_DAYS)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_DAYS}, or never.`)
  return Number(value)
}

const network = (value: string, before: readonly string[] = []): string[] => {
  const { data, error } = Networks.safeParse([...before, value])
  if (error) throw new InvalidArgumentError(`It ${error.issues[0]?.message}.`)
  return data
}

const someText = (value: string) => {
  if (value.trim() === '' || [...value].length > 100)
    throw new InvalidArgumentError('It must be 1 to 100 characters.')
  if (looksLikeEmail(value)) throw new InvalidArgumentError(`It ${LABEL_NOT_EMAIL}.`)
  return value.trim()
}

const scope = (value: string, before: readonly KeyScope[] = []): KeyScope[] => {
  const known = KEY_SCOPES.find((one) => one === value)
  if (!known) throw new InvalidArgumentError(`It must be one of ${KEY_SCOPES.join(', ')}.`)
  return [...before, known]
}

interface CreateOptions {
  role?: KeyRole
  scope?: readonly KeyScope[]
  label?: string
  expires?: number | 'never'
  expiresInDays?: number | 'never'
  network?: readonly string[]
  test?: true
}

export function keyCommands(key: Command, io: CommandIo): void {
  key
    .command('create <subscription>')
    .description('Create an API key and show it once')
    .addOption(
      new Option('--role <role>', 'an uploader sends datasets, a requester reads insight').choices(
        Object.keys(SCOPES_OF_ROLE),
      ),
    )
    .addOption(
      new Option(
        '--scope <scope>',
        `what the key may do, instead of a role; repeat it for further ones: ${KEY_SCOPES.join(', ')}`,
      )
        .argParser(scope)
        .conflicts('role'),
    )
    .option('--label <label>', 'what the key is used for', someText)
    .option(
      '--expires <when>',
      `days until the key expires, or never; ${DEFAULT_KEY_DAYS} by default`,
      expiry,
    )
    .addOption(
      new Option('--expires-in-days <n>', 'the former name of --expires')
        .argParser(expiry)
        .conflicts('expires')
        .hideHelp(),
    )
    .option(
      '--network <network>',
      'address or network that may use the key, such as 203.0.113.0/24; repeat it for further ones; all by default',
      network,
    )
    .option('--test', 'create a test key, which reads and writes test data only')
    .action(
      (nameOrId: string, { role, scope: scopes, label, network: networks, test, ...when }: CreateOptions) =>
        withDatabase(io, async (db) => {
          if (!role && !scopes) throw new UsageError('Specify --role or --scope')
          const { id: subscriptionId, testOf } = await requireSubscription(db, nameOrId)
          if (testOf !== null)
            throw new UserError(
              'This is a test mode: name its subscription, and add --test to create a test key',
            )
          const expires = when.expires ?? when.expiresInDays ?? DEFAULT_KEY_DAYS
          const created = await createAuditedApiKey(db, {
            subscriptionId,
            actor: currentOperator(),
            role,
            scopes,
            label,
            expiresInDays: expires === 'never' ? undefined : expires,
            networks,
            mode: test ? 'test' : 'live',
          })
          if (!created)
            throw new UserError(
              `The subscription already has ${MAX_LIVE_KEYS} active keys; revoke some first`,
            )
          return created
        }),
    )

  key
    .command('list <subscription>')
    .description('List the API keys of a subscription without their secrets')
    .action((nameOrId: string) =>
      withDatabase(io, async (db) => ({
        keys: await listApiKeys(db, (await requireSubscription(db, nameOrId)).id),
      })),
    )

  key
    .command('revoke <id>')
    .description('Permanently revoke an API key; takes effect within 5 s')
    .action((id: string) =>
      withDatabase(io, async (db) => {
        const keyId = Number(id)
        const subscriptionId = /^\d{1,9}$/.test(id) ? await findSubscriptionOfKey(db, keyId) : undefined
        const revoked =
          subscriptionId &&
          (await revokeAuditedApiKey(db, { subscriptionId, id: keyId, actor: currentOperator() }))
        if (!revoked) throw new UserError(`No such key: ${id}`)
        return { id: keyId, subscriptionId, ...revoked }
      }),
    )
}
