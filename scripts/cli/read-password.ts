import { text } from 'node:stream/consumers'
import { NewPassword } from '../../api/account/account-schemas.ts'
import { findPasswordFault } from '../../api/account/password-rules.ts'
import type { CommandIo } from './command-io.ts'
import { UserError } from './user-error.ts'

/**
 * Reads a new password from standard input, without the newline that echo adds.
 *
 * @param name e-mail or name of its user, which it must not be.
 * @throws UserError if the password is rejected.
 */
export async function readPassword({ stdin, stderr }: CommandIo, name: string): Promise<string> {
  if (stdin.isTTY) stderr.write('Password, then Ctrl-D: ')
  const password = (await text(stdin)).replace(/\r?\n$/, '')
  const checked = NewPassword.safeParse(password)
  const fault = checked.success
    ? await findPasswordFault(checked.data, name)
    : checked.error.issues[0]?.message
  if (!checked.success || fault !== undefined) throw new UserError(`The password ${fault}`)
  return checked.data
}
