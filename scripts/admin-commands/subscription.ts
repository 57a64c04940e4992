import type { Command } from 'commander'
import { recordAudit } from '../../db/audit-events.ts'
import { createSubscription, suspendSubscription } from '../../db/subscriptions.ts'
import { Refusal } from './refusal.ts'
import { deployDemoScorecards } from './scorecard.ts'
import { ACTOR, refuseTaken, requireSubscription, withDatabase } from './with-database.ts'

/** @throws Refusal for what would be a nuisance on the command line, or would be taken for an id. */
function requireName(name: string): string {
  if (!/^(?!\d+$)\S(.{0,98}\S)?$/u.test(name))
    throw new Refusal(
      `The name ${JSON.stringify(name)} must be 1 to 100 characters in one line, without space around, not all digits`,
    )
  return name
}

export function subscriptionCommands(program: Command): void {
  const subscription = program.command('subscription').description('Tenants')

  subscription
    .command('create <name>')
    .description('Make a subscription with the standard fragments and the demonstration scorecards')
    .action((name: string) =>
      withDatabase((db) =>
        refuseTaken(
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
}
