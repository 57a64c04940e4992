import { text } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { NewPassword } from '../../api/account/account-schemas.ts'
import { hashPassword } from '../../api/account/password-hashing.ts'
import { deleteUser } from '../../db/accounts/delete-user.ts'
import {
  changeUser,
  listUserAccounts,
  renewInvitation,
  type UserAccount,
} from '../../db/accounts/user-accounts.ts'
import {
  createUser,
  findUserByEmail,
  normalizeEmail,
  type User,
  type UserRole,
} from '../../db/accounts/users.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { ACTOR, rejectDuplicate, requireSubscription, withDatabase } from '../cli/with-database.ts'

/** The password on standard input, without the line end that echo adds. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Password, then Ctrl-D: ')
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  const checked = NewPassword.safeParse(password)
  if (!checked.success) throw new UserError(`The password ${checked.error.issues[0]?.message}`)
  return checked.data
}

export function userCommands(program: Command): void {
  const user = program.command('user').description('People who log in')

  user
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
          throw new UsageError(`${JSON.stringify(email)} is no e-mail address`)
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
        return rejectDuplicate(create, `There is a user ${normalizeEmail(email)} already`)
      }),
    )
  user
    .command('list <subscription>')
    .description('List the users of a subscription, by e-mail')
    .action((nameOrId: string) =>
      withDatabase(async (db) => ({
        users: await listAllUsers(db, (await requireSubscription(db, nameOrId)).id),
      })),
    )

  for (const [verb, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const)
    user
      .command(`${verb} <subscription> <email>`)
      .description(
        disabled
          ? 'Log a user out everywhere, within 5 s, and refuse their logins'
          : 'Accept the logins of a disabled user again',
      )
      .action((nameOrId: string, email: string) =>
        withUser(nameOrId, email, async (db, { subscriptionId, id }) => {
          const changed = await changeUser(db, { subscriptionId, id, actor: ACTOR, disabled })
          if (changed === 'last_admin')
            throw new UserError(
              'This is the last admin who can log in. Create another one first, suspend the subscription, or delete this one',
            )
          return changed
        }),
      )

  user
    .command('reset <subscription> <email>')
    .description(
      'Make a link by which a user sets a new password, once, within 7 days; the old one works until then',
    )
    .action((nameOrId: string, email: string) =>
      withUser(nameOrId, email, async (db, { subscriptionId, id, email: userEmail }) => {
        const made = await renewInvitation(db, { subscriptionId, id, actor: ACTOR })
        if (made === 'disabled') throw new UserError('This user is disabled; enable them first')
        // its first part is the address of the portal, which only its users know
        return made && { id, userEmail, link: `/invitation#${made.token}`, expiresAt: made.expiresAt }
      }),
    )

  user
    .command('delete <subscription> <email>')
    .description(
      'Delete a user and their sessions, at once and for good; the e-mail is free again, records keep it',
    )
    .action((nameOrId: string, email: string) =>
      withUser(nameOrId, email, async (db, { subscriptionId, id, email: userEmail }) =>
        (await deleteUser(db, { subscriptionId, id, actor: ACTOR }))
          ? { id, userEmail, deleted: true }
          : undefined,
      ),
    )
}

/** Prints the work's answer on a user; refuses where the subscription has no such user, before the work or by then. */
function withUser(
  nameOrId: string,
  email: string,
  work: (db: Db, user: User) => Promise<object | undefined>,
): Promise<void> {
  return withDatabase(async (db) => {
    const { id } = await requireSubscription(db, nameOrId)
    const found = await findUserByEmail(db, email)
    const answer = found?.subscriptionId === id ? await work(db, found) : undefined
    if (!answer) throw new UserError(`There is no user ${JSON.stringify(email)} in this subscription`)
    return answer
  })
}

const PAGE_USERS = 1_000

async function listAllUsers(db: Db, subscriptionId: number): Promise<UserAccount[]> {
  const users: UserAccount[] = []
  for (;;) {
    const page = await listUserAccounts(db, subscriptionId, {
      after: users.at(-1)?.userEmail,
      limit: PAGE_USERS,
    })
    users.push(...page)
    if (page.length < PAGE_USERS) return users
  }
}
