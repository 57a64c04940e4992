import type { Command } from 'commander'
import { hashPassword } from '../../api/account/password-hashing.ts'
import {
  changeOperatorPassword,
  createOperator,
  listOperators,
  OPERATOR_NAME,
  type Operator,
  setOperatorDisabled,
} from '../../db/accounts/operators.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { readPassword } from '../cli/read-password.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { currentOperator, rejectDuplicate, withDatabase } from '../cli/with-database.ts'

const PASSWORD_STDIN = ['--password-stdin', 'required: read the password from standard input'] as const

export function operatorCommands(operator: Command, io: CommandIo): void {
  operator
    .command('create <name>')
    .description('Create an account for /ops')
    .requiredOption(...PASSWORD_STDIN)
    .action((name: string) =>
      withDatabase(io, async (db) => {
        if (!OPERATOR_NAME.test(name))
          throw new UsageError(
            `${JSON.stringify(name)} is not a name: up to 64 lower-case letters, digits and . _ @ + -, and not "operator"`,
          )
        const passwordHash = await hashPassword(await readPassword(io, name))
        const created = createOperator(db, { name, passwordHash, createdBy: currentOperator().name })
        return (await rejectDuplicate(created, `An operator with the name ${name} already exists`)) ?? {}
      }),
    )

  operator
    .command('list')
    .description('List the accounts for /ops, with their last use')
    .action(() => withDatabase(io, async (db) => ({ operators: await listOperators(db) })))

  const withOperator = (name: string, work: (db: Db) => Promise<Operator | undefined>) =>
    withDatabase(io, async (db) => {
      const changed = await work(db)
      if (!changed) throw new UserError(`No such operator: ${JSON.stringify(name)}`)
      return changed
    })

  operator
    .command('disable <name>')
    .description('Disable an account: it is rejected at once')
    .action((name: string) => withOperator(name, (db) => setOperatorDisabled(db, name, true)))

  operator
    .command('enable <name>')
    .description('Let a disabled operator sign in again')
    .action((name: string) => withOperator(name, (db) => setOperatorDisabled(db, name, false)))

  operator
    .command('password <name>')
    .description('Set a new password; the old one is rejected at once')
    .requiredOption(...PASSWORD_STDIN)
    .action((name: string) =>
      withOperator(name, async (db) =>
        changeOperatorPassword(db, name, await hashPassword(await readPassword(io, name))),
      ),
    )
}
