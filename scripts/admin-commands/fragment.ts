import { type Command, Option } from 'commander'
import { recordAudit } from '../../db/audit/audit-events.ts'
import {
  deployFragment,
  FRAGMENT_KINDS,
  type FragmentKind,
  listFragments,
  removeFragment,
} from '../../db/scorecards/fragments.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UserError } from '../cli/user-error.ts'
import { currentOperator, requireSubscription, withDatabase } from '../cli/with-database.ts'
import { requireCode } from './code.ts'

export function fragmentCommands(fragment: Command, io: CommandIo): void {
  fragment
    .command('list <subscription>')
    .description('List the fragments of a subscription in the order in which insights show them')
    .action((nameOrId: string) =>
      withDatabase(io, async (db) => {
        const { id } = await requireSubscription(db, nameOrId)
        return { fragments: (await listFragments(db, [id])).map(({ code, kind }) => ({ code, kind })) }
      }),
    )

  fragment
    .command('remove <subscription> <code>')
    .description('Remove a fragment from new insights; stored insights keep it')
    .action((nameOrId: string, code: string) =>
      withDatabase(io, async (db) => {
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        await db.transaction(async (trx) => {
          if (!(await removeFragment(trx, subscriptionId, code)))
            throw new UserError(`No such fragment in this subscription: ${JSON.stringify(code)}`)
          await recordAudit(trx, {
            subscriptionId,
            actor: currentOperator(),
            action: 'fragment.remove',
            subject: code,
          })
        })
        return { code, removed: true }
      }),
    )

  fragment
    .command('deploy <subscription> <code>')
    .description('Add a fragment to new insights, or change its kind')
    .addOption(
      new Option('--kind <kind>', 'required: the content of the fragment')
        .choices(FRAGMENT_KINDS.all)
        .makeOptionMandatory(),
    )
    .action((nameOrId: string, code: string, { kind }: { kind: FragmentKind }) =>
      withDatabase(io, async (db) => {
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        requireCode(code)
        await db.transaction(async (trx) => {
          await deployFragment(trx, subscriptionId, code, kind)
          await recordAudit(trx, {
            subscriptionId,
            actor: currentOperator(),
            action: 'fragment.deploy',
            subject: code,
            detail: { kind },
          })
        })
        return { code, kind }
      }),
    )
}
