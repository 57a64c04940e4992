import type { Command } from 'commander'
import { listAudited, verifyAudit } from '../../db/audit/verify-audit.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { requireSubscription, withDatabase } from '../cli/with-database.ts'

export function auditCommands(audit: Command, io: CommandIo): void {
  audit
    .command('verify [subscription]')
    .description('Verify that no audit event was changed, removed or inserted; exit code 1 if one was')
    .addHelpText(
      'after',
      `
Each event is chained to the one before by a SHA-256 hash. Problems are changed and missing events, entries cut from the chain
or its end, events inserted past it (unchained), and a newest entry that is not the last one recorded (head).

Whoever can change all tables can also compute the chain anew: compare "head" with the hash and seq of a security event that
was sent to a log elsewhere.

Examples:
  scripts/admin audit verify
  scripts/admin audit verify "Acme Lending"`,
    )
    .action((nameOrId: string | undefined) =>
      withDatabase(io, async (db) => {
        const ids =
          nameOrId === undefined ? await listAudited(db) : [(await requireSubscription(db, nameOrId)).id]
        const subscriptions = []
        for (const id of ids) subscriptions.push(await verifyAudit(db, id))
        const intact = subscriptions.every(({ problems }) => problems.length === 0)
        if (!intact) io.exitCode = 1
        return { intact, subscriptions }
      }),
    )
}
