import { text } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { NewPassword } from '../../api/account/account-schemas.ts'
import { hashPassword } from '../../api/account/passwords.ts'
import { recordAudit } from '../../db/audit-events.ts'
import { createUser, normalizeEmail, type UserRole } from '../../db/users.ts'
import { Refusal } from './refusal.ts'
import { ACTOR, refuseTaken, requireSubscription, withDatabase } from './with-database.ts'

/** The password on standard input, without the line end that echo adds. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Password, then Ctrl-D: ')
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  const checked = NewPassword.safeParse(password)
  if (!checked.success) throw new Refusal(`The password ${checked.error.issues[0]?.message}`)
  return checked.data
}

export function userCommands(program: Command): void {
  program
    .command('user')
    .description('People who log in')
    .command('create <subscription> <email>')
    .description('Make a user of a subscription')
    .addOption(
      new Option('--role <role>', 'required: an analyst reads, an admin also changes')
        .choices(['admin', 'analyst'])
        .makeOptionMandatory(),
    )
    .requiredOption('--password-stdin', 'required: read the password from standard input')
    .action((nameOrId: string, email: string, { role }: { role: UserRole }) =>
      withDatabase(async (db) => {
        if (!z.email().safeParse(email).success)
          throw new Refusal(`${JSON.stringify(email)} is no e-mail address`)
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        const passwordHash = await hashPassword(await readPassword())
        const create = db.transaction(async (trx) => {
          const id = await createUser(trx, { subscriptionId, email, role, passwordHash })
          await recordAudit(trx, {
            subscriptionId,
            actor: ACTOR,
            action: 'user.create',
            subject: normalizeEmail(email),
            detail: { role },
          })
          return { id, email: normalizeEmail(email), role, subscriptionId }
        })
        return refuseTaken(create, `There is a user ${normalizeEmail(email)} already`)
      }),
    )
}
