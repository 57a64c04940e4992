import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { NewWebhook, ReplayRequest, SecretRotation } from '../../api/webhooks/webhook-schemas.ts'
import type { EventType } from '../../db/events/event-types.ts'
import { listDeliveries } from '../../db/events/webhook-deliveries.ts'
import { webhookVariables } from '../../db/events/webhook-variables.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  MAX_WEBHOOKS,
  requestReplay,
  requestTest,
  rotateSecret,
} from '../../db/events/webhooks.ts'
import type { Db } from '../../db/postgres/database.ts'
import { describeIssue } from '../../db/runtime/describe-issue.ts'
import { readEnv } from '../../db/runtime/env.ts'
import { isForbiddenAddress, isPermittedUrl, openReach } from '../../db/runtime/reach.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UserError } from '../cli/user-error.ts'
import { currentOperator, openVaultOf, requireSubscription, withDatabase } from '../cli/with-database.ts'

/** Attempts that the log shows. */
const SHOWN_ATTEMPTS = 100

/** Validates the value of an option by the schema of the API. @throws InvalidArgumentError with the first error. */
function parseBy<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: describeIssue, reportInput: true })
  if (!result.success) throw new InvalidArgumentError(`It ${result.error.issues[0]?.message}.`)
  return result.data
}

const { url, label, types } = NewWebhook.shape

const parseType = (value: string, before: readonly EventType[] = []) => parseBy(types, [...before, value])

const parseId = (value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be an id.')
  return Number(value)
}

const DISABLED = 'The webhook is disabled; enable it first'

export function webhookCommands(webhook: Command, io: CommandIo): void {
  webhook.addHelpText(
    'after',
    `
Examples:
  scripts/admin webhook create "Acme Lending" --url https://backend.example/hooks --label backend
  scripts/admin webhook list "Acme Lending"
  scripts/admin webhook test "Acme Lending" 3
  scripts/admin webhook log "Acme Lending" 3
  scripts/admin webhook replay "Acme Lending" 3 --since 2026-11-20T08:00:00Z --until 2026-11-20T09:00:00Z`,
  )

  webhook
    .command('create <subscription>')
    .description(`Create a webhook, and print its secret; a subscription has at most ${MAX_WEBHOOKS}`)
    .requiredOption('--url <url>', 'where events are sent, such as https://backend.example/hooks', (value) =>
      parseBy(url, value),
    )
    .requiredOption('--label <label>', 'what it is used for', (value) => parseBy(label, value).trim())
    .option(
      '--type <type>',
      'type of events that it receives; repeat it for further ones; all by default',
      parseType,
    )
    .action((nameOrId: string, options: { url: string; label: string; type?: readonly EventType[] }) =>
      withDatabase(io, async (db) => {
        requirePermitted(options.url, io)
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        const created = await createWebhook(
          { db, vault: await openVaultOf(io, db) },
          {
            ...{ subscriptionId, actor: currentOperator() },
            ...{ url: options.url, label: options.label, types: options.type ?? [] },
          },
        )
        if (created === 'limit')
          throw new UserError(`The subscription already has ${MAX_WEBHOOKS} webhooks; delete some first`)
        return { subscriptionId, ...created }
      }),
    )

  webhook
    .command('list <subscription>')
    .description('List the webhooks of a subscription and their state')
    .action((nameOrId: string) =>
      withDatabase(io, async (db) => ({
        webhooks: await listWebhooks(db, (await requireSubscription(db, nameOrId)).id),
      })),
    )

  /** Declares a command for one webhook. */
  const command = (name: string, description: string) =>
    webhook
      .command(`${name} <subscription>`)
      .argument('<webhook>', 'its id', parseId)
      .description(description)

  const by = async (db: Db, nameOrId: string, id: number) => ({
    ...{ subscriptionId: (await requireSubscription(db, nameOrId)).id, id, actor: currentOperator() },
  })

  for (const enabled of [true, false])
    command(
      enabled ? 'enable' : 'disable',
      enabled ? 'Deliver again, also what was recorded meanwhile' : 'Deliver nothing until it is enabled',
    ).action((nameOrId: string, id: number) =>
      withDatabase(io, async (db) =>
        found(id, await changeWebhook(db, { ...(await by(db, nameOrId, id)), enabled })),
      ),
    )

  command('delete', 'Delete a webhook with its secrets and log').action((nameOrId: string, id: number) =>
    withDatabase(io, async (db) => {
      if (!(await deleteWebhook(db, await by(db, nameOrId, id)))) throw noSuch(id)
      return { id, deleted: true }
    }),
  )

  command('rotate', 'Create a new secret, and print it; earlier ones sign too for some hours')
    .option(
      '--overlap-hours <n>',
      'hours for which earlier secrets sign too; 24 by default',
      (value) => parseBy(SecretRotation, { overlapHours: Number(value) }).overlapHours,
    )
    .action((nameOrId: string, id: number, options: { overlapHours?: number }) =>
      withDatabase(io, async (db) => {
        const { overlapHours } = SecretRotation.parse(options)
        const stores = { db, vault: await openVaultOf(io, db) }
        const rotated = found(
          id,
          await rotateSecret(stores, { ...(await by(db, nameOrId, id)), overlapHours }),
        )
        if (rotated === 'limit') throw new UserError('Five secrets overlap already; use --overlap-hours 0')
        return rotated
      }),
    )

  command('test', 'Send an event of type webhook.test').action((nameOrId: string, id: number) =>
    withDatabase(io, async (db) => {
      const requested = found(id, await requestTest(db, await by(db, nameOrId, id)))
      if (requested === 'disabled') throw new UserError(DISABLED)
      return requested
    }),
  )

  command('replay', 'Deliver the events of a time again')
    .requiredOption('--since <time>', 'the first time, such as 2026-11-20T08:00:00Z')
    .requiredOption('--until <time>', 'the last time, exclusive')
    .action((nameOrId: string, id: number, options: { since: string; until: string }) =>
      withDatabase(io, async (db) => {
        const result = ReplayRequest.safeParse(options, { error: describeIssue, reportInput: true })
        if (!result.success) throw new UserError(`The time ${result.error.issues[0]?.message}`)
        const { since, until } = result.data
        const times = { since: new Date(since), until: new Date(until) }
        const state = found(id, await requestReplay(db, { ...(await by(db, nameOrId, id)), ...times }))
        if (state === 'disabled') throw new UserError(DISABLED)
        return { id, since, until }
      }),
    )

  command('log', `Show the last ${SHOWN_ATTEMPTS} attempts to deliver`).action(
    (nameOrId: string, id: number) =>
      withDatabase(io, async (db) => ({
        attempts: await listDeliveries(db, await by(db, nameOrId, id), {
          before: undefined,
          limit: SHOWN_ATTEMPTS,
        }),
      })),
  )
}

const noSuch = (id: number) => new UserError(`The subscription has no webhook ${id}`)

function found<Value>(id: number, value: Value | undefined): Value {
  if (value === undefined) throw noSuch(id)
  return value
}

/** @throws UserError for a URL that is never called. */
function requirePermitted(address: string, { env }: CommandIo): void {
  const { WEBHOOK_PRIVATE_NETWORKS } = readEnv(z.object(webhookVariables(env)), env)
  const reach = openReach(WEBHOOK_PRIVATE_NETWORKS)
  if (!isPermittedUrl(address, reach)) throw new UserError('The URL must begin with https://')
  if (isForbiddenAddress(address, reach))
    throw new UserError('The URL must not be an address outside of the Internet')
}
