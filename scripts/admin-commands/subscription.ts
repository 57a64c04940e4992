import { type Command, InvalidArgumentError, Option } from 'commander'
import { changeSuspension, createSubscription, listSubscriptions } from '../../db/accounts/subscriptions.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { changeRetention, findRetention, type Retention } from '../../db/datasets/retention.ts'
import { changePolicy, FACTORS_REQUIRED, findPolicy, type Policy } from '../../db/sign-in/policy.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { currentOperator, rejectDuplicate, requireSubscription, withDatabase } from '../cli/with-database.ts'

/** @throws UsageError for a name that is hard to type in a shell or that looks like an id. */
function requireName(name: string): string {
  if (!/^(?!\d+$)\S(.{0,98}\S)?$/u.test(name))
    throw new UsageError(
      `The name ${JSON.stringify(name)} must be 1 to 100 characters on one line, without surrounding space, and not only digits`,
    )
  return name
}

/** A whole number of days, or `none`, as also `forever` is read: commander would turn null into an empty text. */
function days(text: string): number | 'none' {
  if (text === 'none' || text === 'forever') return 'none'
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of days from 1 to 99999, or none, or forever.')
  return Number(text)
}

export function subscriptionCommands(subscription: Command, io: CommandIo): void {
  subscription
    .command('create <name>')
    .description('Create a subscription with the standard fragments and demo scorecards')
    .action((name: string) =>
      withDatabase(io, async (db) => {
        const { deployDemoScorecards } = await import('../scorecards/deploy-scorecard.ts')
        return rejectDuplicate(
          db.transaction(async (trx) => {
            const { testOf: _, ...created } = await createSubscription(trx, requireName(name))
            await deployDemoScorecards(trx, created.id, currentOperator())
            await recordAudit(trx, {
              subscriptionId: created.id,
              actor: currentOperator(),
              action: 'subscription.create',
            })
            return created
          }),
          `A subscription named ${JSON.stringify(name)} already exists`,
        )
      }),
    )

  subscription
    .command('list')
    .description('List all subscriptions by name; testOf is the id of the subscription whose test mode it is')
    .action(() =>
      withDatabase(io, async (db) => ({
        subscriptions: (await listSubscriptions(db)).map(({ testOf, ...one }) => ({
          ...one,
          ...(testOf !== null && { testOf }),
        })),
      })),
    )

  for (const [verb, suspended] of [
    ['suspend', true],
    ['resume', false],
  ] as const)
    subscription
      .command(`${verb} <subscription>`)
      .description(
        `${suspended ? 'Reject all credentials of a subscription' : 'Accept the credentials of a suspended subscription again'}; takes effect within 5 s`,
      )
      .action((nameOrId: string) =>
        withDatabase(io, async (db) => {
          const { id, name } = await requireSubscription(db, nameOrId)
          await changeSuspension(db, { subscriptionId: id, suspended, actor: currentOperator() })
          return { id, name, suspended: (await requireSubscription(db, String(id))).suspended }
        }),
      )

  subscription
    .command('retention <subscription>')
    .description(
      'Show or change the retention: by default, captures are stored for 730 days, and insights indefinitely',
    )
    .option('--days <n>', 'delete datasets this many days after upload, or forever', days)
    .option(
      '--blob-days <n>',
      'delete only the captures after this many days, and keep the insights, or forever',
      days,
    )
    .action((nameOrId: string, options: Partial<Record<keyof Retention, number | 'none'>>) =>
      withDatabase(io, async (db) => {
        const { id, name } = await requireSubscription(db, nameOrId)
        const change: Partial<Retention> = Object.fromEntries(
          Object.entries(options).map(([what, kept]) => [what, kept === 'none' ? null : kept]),
        )
        if (Object.keys(change).length === 0) return { id, name, ...(await findRetention(db, id)) }
        return db.transaction(async (trx) => {
          const retention = await changeRetention(trx, id, change)
          if (!retention) throw new UserError('The retention of a test mode cannot be extended')
          await recordAudit(trx, {
            subscriptionId: id,
            actor: currentOperator(),
            action: 'subscription.retention',
            detail: retention,
          })
          return { id, name, ...retention }
        })
      }),
    )

  subscription
    .command('delete <subscription>')
    .description(
      'Permanently delete a subscription: destroy its data keys, then all its rows, step by step. The audit log stays until it is pruned. ' +
        'You can interrupt this command and run it again',
    )
    .option('--yes', 'do not ask for the name of the subscription')
    .action((nameOrId: string, options: { yes?: true }) =>
      withDatabase(io, async (db) => {
        const { deleteSubscription } = await import('./delete-subscription.ts')
        return deleteSubscription(io, db, await requireSubscription(db, nameOrId), options)
      }),
    )

  subscription
    .command('policy <subscription>')
    .description('Show or change how users sign in, and whether promotions need four eyes')
    .addOption(
      new Option('--factors-required <who>', 'who needs a second factor').choices([...FACTORS_REQUIRED]),
    )
    .addOption(
      new Option(
        '--four-eyes <state>',
        'whether the author of a scorecard version may not promote it',
      ).choices(['on', 'off']),
    )
    .action(
      (
        nameOrId: string,
        {
          factorsRequired,
          fourEyes,
        }: { factorsRequired?: Policy['factorsRequired']; fourEyes?: 'on' | 'off' },
      ) =>
        withDatabase(io, async (db) => {
          const { id, name } = await requireSubscription(db, nameOrId)
          if (!factorsRequired && !fourEyes) return { id, name, ...(await findPolicy(db, id)) }
          const change = { factorsRequired, ...(fourEyes && { fourEyes: fourEyes === 'on' }) }
          const actor = currentOperator()
          return { id, name, ...(await changePolicy(db, { subscriptionId: id, actor, change })) }
        }),
    )
}
