import { type Command, InvalidArgumentError, Option } from 'commander'
import type { KeyRole } from '../../db/accounts/api-keys.ts'
import {
  createAuditedApiKey,
  findSubscriptionOfKey,
  listApiKeys,
  MAX_LIVE_KEYS,
  revokeAuditedApiKey,
} from '../../db/accounts/api-keys.ts'
import { LABEL_NOT_EMAIL, looksLikeEmail } from '../../db/audit/actor.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UserError } from '../cli/user-error.ts'
import { currentOperator, requireSubscription, withDatabase } from '../cli/with-database.ts'

const wholeNumber = (from: number, to: number) => (value: string) => {
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < from || number > to)
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`)
  return number
}

const someText = (value: string) => {
  if (value.trim() === '' || [...value].length > 100)
    throw new InvalidArgumentError('It must be 1 to 100 characters.')
  if (looksLikeEmail(value)) throw new InvalidArgumentError(`It ${LABEL_NOT_EMAIL}.`)
  return value.trim()
}

interface CreateOptions {
  role: KeyRole
  label?: string
  expiresInDays?: number
}

export function keyCommands(key: Command, io: CommandIo): void {
  key
    .command('create <subscription>')
    .description('Create an API key and show it once')
    .addOption(
      new Option('--role <role>', 'required: an uploader sends datasets, a requester reads insight')
        .choices(['uploader', 'requester'])
        .makeOptionMandatory(),
    )
    .option('--label <label>', 'what the key is used for', someText)
    .option('--expires-in-days <n>', 'days until the key expires', wholeNumber(1, 36_500))
    .action((nameOrId: string, { role, label, expiresInDays }: CreateOptions) =>
      withDatabase(io, async (db) => {
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        const created = await createAuditedApiKey(db, {
          subscriptionId,
          actor: currentOperator(),
          role,
          label,
          expiresInDays,
        })
        if (!created)
          throw new UserError(`The subscription already has ${MAX_LIVE_KEYS} active keys; revoke some first`)
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
