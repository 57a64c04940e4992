import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import {
  defaultLimits,
  effectiveLimits,
  type LimitSettings,
  limitVariables,
  MAX_LIMIT,
  MAX_REQUESTS,
} from '../../db/limits/default-limits.ts'
import { changeLimits, findLimitedUse, listKeyUse, WHOLE } from '../../db/limits/limits.ts'
import { findStoredBytes } from '../../db/limits/stored-bytes.ts'
import { readEnv } from '../../db/runtime/env.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { currentOperator, requireSubscription, withDatabase } from '../cli/with-database.ts'

/** A limit: `off` is none, `default` the one of the environment. Commander would turn null into an empty text. */
const limit = (max: number) => (text: string) => {
  if (text === 'off' || text === 'default') return text
  if (!/^[1-9]\d{0,15}$/.test(text) || Number(text) > max)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}, off or default.`)
  return Number(text)
}

type Change = Partial<Record<keyof LimitSettings, number | 'off' | 'default'>>

export function limitsCommands(limits: Command, io: CommandIo): void {
  limits.addHelpText(
    'after',
    `
Without limits of their own, subscriptions and keys have those of SUBSCRIPTION_REQUESTS_PER_SECOND, KEY_DATASETS_PER_DAY and so on.

Examples:
  scripts/admin limits show "Acme Lending"
  scripts/admin limits set "Acme Lending" --requests-per-second 200 --datasets-per-day 100000 --bytes-stored 200000000000
  scripts/admin limits set "Acme Lending" --key 41 --datasets-per-day 20000
  scripts/admin limits set "Acme Lending" --datasets-per-day default`,
  )

  limits
    .command('show <subscription>')
    .description('Show the limits of a subscription and its live keys, and their use of today')
    .action((nameOrId: string) =>
      withDatabase(io, async (db) => {
        const { id, name } = await requireSubscription(db, nameOrId)
        const defaults = defaultLimits(readEnv(z.object(limitVariables), io.env))
        const [[use], stored, keys] = await Promise.all([
          findLimitedUse(db, [{ subscriptionId: id, keyId: WHOLE }]),
          findStoredBytes(db, id),
          listKeyUse(db, id),
        ])
        return {
          ...{ id, name, day: use?.day },
          limits: use && effectiveLimits(use.settings, defaults.subscription),
          use: { requests: use?.requests, datasets: use?.datasets, ...stored },
          keys: keys.map(({ keyId, label, settings, requests, datasets }) => {
            const { bytesStored: _, ...effective } = effectiveLimits(settings, defaults.key)
            return { id: keyId, label, limits: effective, use: { requests, datasets } }
          }),
        }
      }),
    )

  limits
    .command('set <subscription>')
    .description('Change the limits of a subscription, or of one of its keys; takes effect within 5 s')
    .option('--key <id>', 'id of the API key whose limits are changed')
    .option('--requests-per-second <n>', 'limit of requests of API keys, off or default', limit(MAX_REQUESTS))
    .option(
      '--burst <n>',
      'requests that may arrive at once; by default 10 times the rate',
      limit(MAX_REQUESTS),
    )
    .option('--datasets-per-day <n>', 'limit of datasets per day in UTC, off or default', limit(MAX_LIMIT))
    .option(
      '--bytes-stored <n>',
      'limit of stored captures of the subscription, off or default',
      limit(MAX_LIMIT),
    )
    .action((nameOrId: string, { key, ...options }: Change & { key?: string }) => {
      if (Object.keys(options).length === 0) throw new UsageError('Name at least one limit')
      if (key !== undefined && options.bytesStored !== undefined)
        throw new UsageError('Stored bytes are those of the subscription; a key has no limit of them')
      return withDatabase(io, async (db) => {
        const { id, name, testOf } = await requireSubscription(db, nameOrId)
        if (testOf !== null && key === undefined) throw new UserError('The limits of a test mode are fixed')
        const keyId = key === undefined ? WHOLE : Number(key)
        const isId = key === undefined || /^[1-9]\d{0,8}$/.test(key)
        const change: Partial<LimitSettings> = Object.fromEntries(
          Object.entries(options).map(([what, value]) => [
            what,
            value === 'off' ? 0 : value === 'default' ? null : value,
          ]),
        )
        const changed =
          isId && (await changeLimits(db, { subscriptionId: id, keyId, actor: currentOperator(), change }))
        if (!changed) throw new UserError(`No such key: ${key}`)
        return { id, name, ...(key !== undefined && { key: keyId }), set: presentSettings(changed) }
      })
    })
}

const presentSettings = (settings: LimitSettings) =>
  Object.fromEntries(
    Object.entries(settings).map(([what, value]) => [
      what,
      value === null ? 'default' : value === 0 ? 'off' : value,
    ]),
  )
