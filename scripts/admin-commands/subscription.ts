import { type Command, InvalidArgumentError } from 'commander'
import {
  createSubscription,
  listSubscriptions,
  suspendSubscription,
} from '../../db/accounts/subscriptions.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { changeRetention, findRetention, type Retention } from '../../db/datasets/retention.ts'
import { UsageError } from '../cli/user-error.ts'
import { ACTOR, rejectDuplicate, requireSubscription, withDatabase } from '../cli/with-database.ts'
import { deployDemoScorecards } from '../scorecards/deploy-scorecard.ts'

/** @throws UsageError for what would be a nuisance on the command line, or would be taken for an id. */
function requireName(name: string): string {
  if (!/^(?!\d+$)\S(.{0,98}\S)?$/u.test(name))
    throw new UsageError(
      `The name ${JSON.stringify(name)} must be 1 to 100 characters in one line, without space around, not all digits`,
    )
  return name
}

/** Whole days, or `none`: the parser would make an empty text of null. */
function days(text: string): number | 'none' {
  if (text === 'none') return text
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of days from 1 to 99999, or none.')
  return Number(text)
}

export function subscriptionCommands(program: Command): void {
  const subscription = program.command('subscription').description('Tenants')

  subscription
    .command('create <name>')
    .description('Make a subscription with the standard fragments and the demonstration scorecards')
    .action((name: string) =>
      withDatabase((db) =>
        rejectDuplicate(
          db.transaction(async (trx) => {
            const created = await createSubscription(trx, requireName(name))
            await deployDemoScorecards(trx, created.id)
            await recordAudit(trx, {
              subscriptionId: created.id,
              actor: ACTOR,
              action: 'subscription.create',
            })
            return created
          }),
          `There is a subscription ${JSON.stringify(name)} already`,
        ),
      ),
    )

  subscription
    .command('list')
    .description('List all subscriptions, by name')
    .action(() => withDatabase(async (db) => ({ subscriptions: await listSubscriptions(db) })))

  for (const [verb, suspended] of [
    ['suspend', true],
    ['resume', false],
  ] as const)
    subscription
      .command(`${verb} <subscription>`)
      .description(
        `${suspended ? 'Refuse all its credentials' : 'Accept its credentials again'}, within 5 s everywhere`,
      )
      .action((nameOrId: string) =>
        withDatabase(async (db) => {
          const { id, name } = await requireSubscription(db, nameOrId)
          await db.transaction(async (trx) => {
            await suspendSubscription(trx, id, suspended)
            await recordAudit(trx, { subscriptionId: id, actor: ACTOR, action: `subscription.${verb}` })
          })
          return { id, name, suspended }
        }),
      )

  subscription
    .command('retention <subscription>')
    .description('Show or change how long it keeps datasets; for ever unless changed')
    .option('--days <n>', 'delete datasets so many days after their upload, or none', days)
    .option('--blob-days <n>', 'remove their data alone, and keep the insight, or none', days)
    .action((nameOrId: string, options: Partial<Record<keyof Retention, number | 'none'>>) =>
      withDatabase(async (db) => {
        const { id, name } = await requireSubscription(db, nameOrId)
        const change: Partial<Retention> = Object.fromEntries(
          Object.entries(options).map(([what, kept]) => [what, kept === 'none' ? null : kept]),
        )
        if (Object.keys(change).length === 0) return { id, name, ...(await findRetention(db, id)) }
        return db.transaction(async (trx) => {
          const retention = await changeRetention(trx, id, change)
          await recordAudit(trx, {
            subscriptionId: id,
            actor: ACTOR,
            action: 'subscription.retention',
            detail: retention,
          })
          return { id, name, ...retention }
        })
      }),
    )
}
