import { userInfo } from 'node:os'
import { z } from 'zod'
import { findSubscription, type Subscription } from '../../db/accounts/subscriptions.ts'
import type { Actor } from '../../db/audit/actor.ts'
import { openVault, type Vault } from '../../db/encryption/vault.ts'
import { optionalEncryptionVariables, wrappingKeysOf } from '../../db/encryption/wrapping-keys.ts'
import { captureStoreVariables } from '../../db/object-store/capture-store-url.ts'
import { openObjectStore } from '../../db/object-store/object-store.ts'
import { storeCaptures } from '../../db/object-store/store-captures.ts'
import { type Db, databaseOptions, openDatabase } from '../../db/postgres/database.ts'
import { processVariables, readEnv } from '../../db/runtime/env.ts'
import type { CommandIo } from './command-io.ts'
import { UserError } from './user-error.ts'

/** Runs `work` on the database of the environment and prints its result as one JSON object. */
export async function withDatabase(io: CommandIo, work: (db: Db) => Promise<object>): Promise<void> {
  const db = openDatabase(databaseOptions(readProcessEnv(io)))
  try {
    printAnswer(io, await work(db))
  } finally {
    await db.destroy()
  }
}

/**
 * Opens what decrypts stored data, with the keys of `DATA_ENCRYPTION_KEYS`, if it is set; it never makes one. Reads captures in the object storage
 * of `CAPTURE_STORE_URL`, if it is set.
 */
export async function openVaultOf({ env }: CommandIo, db: Db): Promise<Vault> {
  const variables = z.object({ ...optionalEncryptionVariables, ...captureStoreVariables(env) })
  const { DATA_ENCRYPTION_KEYS, CAPTURE_STORE_URL } = readEnv(variables, env)
  const captures = CAPTURE_STORE_URL && (await openObjectStore(CAPTURE_STORE_URL))
  return storeCaptures(openVault(db, wrappingKeysOf(DATA_ENCRYPTION_KEYS)), captures)
}

/** Reads the variables of Postgres and the queue. @throws EnvError if one is invalid. */
export const readProcessEnv = ({ env }: CommandIo) => readEnv(z.object(processVariables), env)

export function printAnswer({ stdout }: CommandIo, answer: object): void {
  stdout.write(`${JSON.stringify(answer).replace(CONTROL_CHARACTERS, escaped)}\n`)
}

/** Characters that JSON does not escape and a terminal may interpret: 8-bit control characters and Unicode line ends. */
const CONTROL_CHARACTERS = /[\u007f-\u009f\u2028\u2029]/g

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** @throws UserError if the subscription does not exist. */
export async function requireSubscription(db: Db, nameOrId: string): Promise<Subscription> {
  const subscription = await findSubscription(db, nameOrId)
  if (!subscription) throw new UserError(`No such subscription: ${JSON.stringify(nameOrId)}`)
  return subscription
}

/** The actor of commands in records: an operator, by the account of the operating system, which the environment cannot change. */
export function currentOperator(): Actor {
  return { kind: 'operator', id: null, name: accountName() }
}

function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}` // an account without a name, as in containers
  }
}

/** Returns the result of `work`. @throws UserError with `message` when a unique value is taken. */
export async function rejectDuplicate<T>(work: Promise<T>, message: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '23505') throw new UserError(message)
    throw error
  }
}
