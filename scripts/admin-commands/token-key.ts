import type { Command } from 'commander'
import { makeSigningKey } from '../../api/account/tokens.ts'
import { print } from './with-database.ts'

export function tokenKeyCommands(program: Command): void {
  program
    .command('token-key')
    .description('Keys that sign login tokens')
    .command('create')
    .description('Make a value for TOKEN_SIGNING_KEYS; to rotate, put its key before those that are there')
    .action(async () => print({ keys: [await makeSigningKey()] }))
}
