import { type Command, Option } from 'commander'
import { recordAudit } from '../../db/audit/audit-events.ts'
import {
  deployFragment,
  FRAGMENT_KINDS,
  type FragmentKind,
  listFragments,
  removeFragment,
} from '../../db/scorecards/fragments.ts'
import { UserError } from '../cli/user-error.ts'
import { ACTOR, requireSubscription, withDatabase } from '../cli/with-database.ts'
import { requireCode } from './code.ts'

export function fragmentCommands(program: Command): void {
  const fragment = program.command('fragment').description('Fragments')

  fragment
    .command('list <subscription>')
    .description('List the fragments of a subscription, in the order of its insights')
    .action((nameOrId: string) =>
      withDatabase(async (db) => {
        const { id } = await requireSubscription(db, nameOrId)
        return { fragments: (await listFragments(db, [id])).map(({ code, kind }) => ({ code, kind })) }
      }),
    )

  fragment
    .command('remove <subscription> <code>')
    .description('Have no fragment under a code, from the next dataset on; stored insights keep it')
    .action((nameOrId: string, code: string) =>
      withDatabase(async (db) => {
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        await db.transaction(async (trx) => {
          if (!(await removeFragment(trx, subscriptionId, code)))
            throw new UserError(`There is no fragment ${JSON.stringify(code)} in this subscription`)
          await recordAudit(trx, { subscriptionId, actor: ACTOR, action: 'fragment.remove', subject: code })
        })
        return { code, removed: true }
      }),
    )

  fragment
    .command('deploy <subscription> <code>')
    .description('Have a fragment of a kind under a code, from the next dataset on')
    .addOption(
      new Option('--kind <kind>', 'required: what it tells')
        .choices(FRAGMENT_KINDS.all)
        .makeOptionMandatory(),
    )
    .action((nameOrId: string, code: string, { kind }: { kind: FragmentKind }) =>
      withDatabase(async (db) => {
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        requireCode(code)
        await db.transaction(async (trx) => {
          await deployFragment(trx, subscriptionId, code, kind)
          await recordAudit(trx, {
            subscriptionId,
            actor: ACTOR,
            action: 'fragment.deploy',
            subject: code,
            detail: { kind },
          })
        })
        return { code, kind }
      }),
    )
}
