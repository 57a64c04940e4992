import type { Command } from 'commander'
import { z } from 'zod'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { signingKeys } from '../../api/config.ts'
import { addTokenKey } from '../../db/accounts/token-keys.ts'
import { readEnvOrExit } from '../../db/runtime/env.ts'
import { UserError } from '../cli/user-error.ts'
import { printAnswer, withDatabase } from '../cli/with-database.ts'

export function tokenKeyCommands(program: Command): void {
  const tokenKey = program.command('token-key').description('Keys that sign login tokens')

  tokenKey
    .command('create')
    .description('Make a value for TOKEN_SIGNING_KEYS')
    .action(async () => printAnswer({ keys: [await makeSigningKey()] }))

  tokenKey
    .command('rotate')
    .description(
      'Have a new key sign login tokens, without logging anyone out. With TOKEN_SIGNING_KEYS set: print its new value; ' +
        'else the key is kept in the database, where running web processes find it, and old ones are removed a day later',
    )
    .action(async () => {
      const { TOKEN_SIGNING_KEYS: configured } = readEnvOrExit(
        z.object({ TOKEN_SIGNING_KEYS: signingKeys.optional() }),
        process.env,
      )
      const jwk = await makeSigningKey()
      if (configured) return printAnswer({ keys: [jwk, ...configured] })
      return withDatabase(async (db) => {
        const added = await addTokenKey(db, jwk)
        if (!added)
          throw new UserError(
            'The database keeps no key: web makes the first one when it starts without TOKEN_SIGNING_KEYS. ' +
              'Where that is set, run this with it',
          )
        return { kid: jwk.kid, ...added }
      })
    })
}
