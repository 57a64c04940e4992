import type { Command } from 'commander'
import { z } from 'zod'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { signingKeys } from '../../api/config.ts'
import { addTokenKey } from '../../db/accounts/token-keys.ts'
import { readEnv } from '../../db/runtime/env.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UserError } from '../cli/user-error.ts'
import { printAnswer, withDatabase } from '../cli/with-database.ts'

export function tokenKeyCommands(tokenKey: Command, io: CommandIo): void {
  tokenKey
    .command('create')
    .description('Generate a value for TOKEN_SIGNING_KEYS')
    .action(async () => printAnswer(io, { keys: [await makeSigningKey()] }))

  tokenKey
    .command('rotate')
    .description(
      'Rotate the signing key without signing anyone out. If TOKEN_SIGNING_KEYS is set, print its new value; ' +
        'otherwise store the key in the database, where web processes find it, and remove the old ones after a day',
    )
    .action(async () => {
      const { TOKEN_SIGNING_KEYS: configured } = readEnv(
        z.object({ TOKEN_SIGNING_KEYS: signingKeys.optional() }),
        io.env,
      )
      const jwk = await makeSigningKey()
      if (configured) return printAnswer(io, { keys: [jwk, ...configured] })
      return withDatabase(io, async (db) => {
        const added = await addTokenKey(db, jwk)
        if (!added)
          throw new UserError(
            'The database has no key: web creates the first one when it starts without TOKEN_SIGNING_KEYS. ' +
              'If TOKEN_SIGNING_KEYS is set for web, set it for this command too',
          )
        return { kid: jwk.kid, ...added }
      })
    })
}
