import { type Command, Option } from 'commander'
import { recordAudit } from '../../db/audit-events.ts'
import { deployFragment, FRAGMENT_KINDS, type FragmentKind } from '../../db/fragments.ts'
import { requireCode } from './code.ts'
import { ACTOR, requireSubscription, withDatabase } from './with-database.ts'

export function fragmentCommands(program: Command): void {
  program
    .command('fragment')
    .description('Fragments')
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
