import type { Command } from 'commander'
import { z } from 'zod'
import {
  addDataKey,
  beginEncryption,
  destroyDataKeys,
  listDataKeys,
  rewrapKeys,
} from '../../db/encryption/data-keys.ts'
import {
  makeWrappingJwk,
  optionalEncryptionVariables,
  type WrappingKey,
  wrappingKeysOf,
} from '../../db/encryption/wrapping-keys.ts'
import { readEnv } from '../../db/runtime/env.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UserError } from '../cli/user-error.ts'
import { currentOperator, printAnswer, requireSubscription, withDatabase } from '../cli/with-database.ts'

const readJwks = (io: CommandIo) =>
  readEnv(z.object(optionalEncryptionVariables), io.env).DATA_ENCRYPTION_KEYS

/** The wrapping keys of the environment, the first one first. @throws UserError if there are none. */
function requireWrappingKeys(io: CommandIo): [WrappingKey, ...WrappingKey[]] {
  const [first, ...others] = wrappingKeysOf(readJwks(io))
  if (!first) throw new UserError('Set DATA_ENCRYPTION_KEYS, as it is set for web and worker')
  return [first, ...others]
}

export function dataKeyCommands(dataKey: Command, io: CommandIo): void {
  dataKey
    .command('create')
    .description(
      'Generate a value for DATA_ENCRYPTION_KEYS: a new key, which encrypts, before those that are set already. Keep a copy apart from the ' +
        'backups of the database: without its key, encrypted data is lost',
    )
    .action(async () => printAnswer(io, { keys: [makeWrappingJwk(), ...(readJwks(io) ?? [])] }))

  dataKey
    .command('list')
    .description(
      'List the data keys of subscriptions: version, wrapping key, and whether all stored data is encrypted',
    )
    .action(() => withDatabase(io, listDataKeys))

  dataKey
    .command('start')
    .description(
      'Begin to encrypt now instead of a day after the migration. Stop all processes of the previous version first: they cannot read encrypted data',
    )
    .action(() => withDatabase(io, async (db) => ({ startsAt: await beginEncryption(db) })))

  dataKey
    .command('rotate')
    .description(
      'Wrap all data keys with the first key of DATA_ENCRYPTION_KEYS; afterwards the others can be removed. Safe while web and worker run',
    )
    .option(
      '--new-version',
      'also make a new data key for each subscription; a worker encrypts the stored data with it again',
    )
    .action((options: { newVersion?: true }) =>
      withDatabase(io, async (db) => {
        const keys = requireWrappingKeys(io)
        let rewrapped = 0
        for (let step = -1; step !== 0; rewrapped += step) step = await rewrapKeys(db, keys)
        const answer = { kid: keys[0].kid, rewrapped }
        if (!options.newVersion) return answer
        const { subscriptions } = await listDataKeys(db)
        let newVersions = 0
        for (const { subscriptionId } of subscriptions)
          if ((await addDataKey(db, keys[0], subscriptionId)) !== undefined) newVersions++
        return { ...answer, newVersions }
      }),
    )

  dataKey
    .command('destroy <subscription>')
    .description(
      'Destroy the keys of a suspended subscription: its captures, addresses and Additional Info are permanently lost, in backups too',
    )
    .requiredOption('--confirm <name>', 'the name of the subscription, as a confirmation')
    .action((nameOrId: string, options: { confirm: string }) =>
      withDatabase(io, async (db) => {
        const { id, name } = await requireSubscription(db, nameOrId)
        if (options.confirm !== name)
          throw new UserError(`--confirm must be the name of the subscription: ${JSON.stringify(name)}`)
        const outcome = await destroyDataKeys(db, id, currentOperator())
        if (outcome === 'active')
          throw new UserError(`The subscription is not suspended: first run subscription suspend ${id}`)
        if (outcome === 'none')
          throw new UserError('The subscription has no keys, or they were destroyed before')
        return { id, name, destroyed: true }
      }),
    )
}
