import { type Command, Option } from 'commander'
import { z } from 'zod'
import { hashPassword } from '../../api/account/password-hashing.ts'
import { deleteUser } from '../../db/accounts/delete-user.ts'
import { KEY_DECISIONS, type KeyDecision, type UndecidedKeys } from '../../db/accounts/keys-of-user.ts'
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
import { resetFactors } from '../../db/sign-in/factors.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { readPassword } from '../cli/read-password.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { currentOperator, rejectDuplicate, requireSubscription, withDatabase } from '../cli/with-database.ts'

export function userCommands(user: Command, io: CommandIo): void {
  user
    .command('create <subscription> <email>')
    .description('Create a user of a subscription')
    .addOption(
      new Option('--role <role>', 'required: an analyst reads, an admin also makes changes')
        .choices(['admin', 'analyst'])
        .makeOptionMandatory(),
    )
    .requiredOption('--password-stdin', 'required: read the password from standard input')
    .action((nameOrId: string, email: string, { role }: { role: UserRole }) =>
      withDatabase(io, async (db) => {
        if (!z.email().safeParse(email).success)
          throw new UsageError(`${JSON.stringify(email)} is not an e-mail address`)
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        const passwordHash = await hashPassword(await readPassword(io, email))
        const create = db.transaction(async (trx) => {
          const id = await createUser(trx, { subscriptionId, email, role, passwordHash })
          await recordAudit(trx, {
            subscriptionId,
            actor: currentOperator(),
            action: 'user.create',
            subject: normalizeEmail(email),
            detail: { role },
          })
          return { id, email: normalizeEmail(email), role, subscriptionId }
        })
        return rejectDuplicate(
          create,
          `A user with the e-mail address ${normalizeEmail(email)} already exists`,
        )
      }),
    )
  user
    .command('list <subscription>')
    .description('List the users of a subscription by e-mail address')
    .action((nameOrId: string) =>
      withDatabase(io, async (db) => ({
        users: await listAllUsers(db, (await requireSubscription(db, nameOrId)).id),
      })),
    )

  const setDisabled = (nameOrId: string, email: string, change: KeysOption & { disabled: boolean }) =>
    withUser(io, nameOrId, email, async (db, { subscriptionId, id }) => {
      const changed = await changeUser(db, { subscriptionId, id, actor: currentOperator(), ...change })
      if (changed === 'last_admin')
        throw new UserError(
          'This is the last admin who can sign in. Create another admin first, suspend the subscription, or delete this user',
        )
      return changed && requireDecided(changed)
    })

  user
    .command('disable <subscription> <email>')
    .description('Disable a user: end all sessions within 5 s and reject sign-in')
    .addOption(keysOption())
    .action((nameOrId: string, email: string, { keys }: KeysOption) =>
      setDisabled(nameOrId, email, { disabled: true, ...(keys && { keys }) }),
    )

  user
    .command('enable <subscription> <email>')
    .description('Let a disabled user sign in again')
    .action((nameOrId: string, email: string) => setDisabled(nameOrId, email, { disabled: false }))

  user
    .command('reset <subscription> <email>')
    .description(
      'Create a one-time link to set a new password, valid for 7 days; the old password works until then',
    )
    .action((nameOrId: string, email: string) =>
      withUser(io, nameOrId, email, async (db, { subscriptionId, id, email: userEmail }) => {
        const made = await renewInvitation(db, { subscriptionId, id, actor: currentOperator() })
        if (made === 'disabled') throw new UserError('This user is disabled; enable them first')
        // relative: the command does not know the address of the portal
        return made && { id, userEmail, link: `/invitation#${made.token}`, expiresAt: made.expiresAt }
      }),
    )

  user
    .command('reset-factors <subscription> <email>')
    .description('Remove the second factors of a user who lost them, and end all their sessions')
    .action((nameOrId: string, email: string) =>
      withUser(io, nameOrId, email, async (db, { subscriptionId, id, email: userEmail }) => {
        const reset = await resetFactors(db, { subscriptionId, userId: id, actor: currentOperator() })
        return reset && { id, userEmail, removedFactors: reset.removed }
      }),
    )

  user
    .command('delete <subscription> <email>')
    .description(
      'Permanently delete a user and their sessions; the e-mail address becomes available, the audit log keeps it',
    )
    .addOption(keysOption())
    .action((nameOrId: string, email: string, { keys }: KeysOption) =>
      withUser(io, nameOrId, email, async (db, { subscriptionId, id, email: userEmail }) => {
        const deletion = { subscriptionId, id, actor: currentOperator(), keys, evenLastAdmin: true }
        const deleted = await deleteUser(db, deletion)
        if (typeof deleted === 'object') requireDecided(deleted)
        return deleted && { id, userEmail, deleted: true }
      }),
    )
}

interface KeysOption {
  readonly keys?: KeyDecision
}

const keysOption = () =>
  new Option(
    '--keys <decision>',
    'what becomes of the keys that the user created; required if some of them are live',
  ).choices(KEY_DECISIONS)

/** Returns a change that was made. @throws UserError with the keys that need a decision first. */
function requireDecided<Made extends object>(change: Made | UndecidedKeys): Made {
  if (!('undecided' in change)) return change
  const keys = change.undecided.map(
    ({ kind, id, label }) => `${kind === 'api_key' ? 'API key' : 'site key'} ${id} (${label ?? 'no label'})`,
  )
  throw new UserError(`This user created keys that are live; pass --keys keep or revoke: ${keys.join(', ')}`)
}

/** Runs `work` for a user and prints its result. @throws UserError if the subscription has no such user, before or after. */
function withUser(
  io: CommandIo,
  nameOrId: string,
  email: string,
  work: (db: Db, user: User) => Promise<object | undefined>,
): Promise<void> {
  return withDatabase(io, async (db) => {
    const { id } = await requireSubscription(db, nameOrId)
    const found = await findUserByEmail(db, id, email)
    const answer = found && (await work(db, found))
    if (!answer) throw new UserError(`No such user in this subscription: ${JSON.stringify(email)}`)
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
