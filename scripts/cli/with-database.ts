import { z } from 'zod'
import { findSubscription, type Subscription } from '../../db/accounts/subscriptions.ts'
import { type Db, databaseOptions, openDatabase } from '../../db/postgres/database.ts'
import { queueLocation } from '../../db/queue/open-queue.ts'
import { openProducer, type QueueProducer } from '../../db/queue/producer.ts'
import { processVariables, readEnvOrExit } from '../../db/runtime/env.ts'
import { UserError } from './user-error.ts'

/** Runs `work` on the database of the environment and prints its result as one JSON object. */
export async function withDatabase(work: (db: Db) => Promise<object>): Promise<void> {
  const env = readEnvOrExit(z.object(processVariables), process.env)
  const db = openDatabase(databaseOptions(env))
  try {
    printAnswer(await work(db))
  } finally {
    await db.destroy()
  }
}

/** As `withDatabase`, with a queue producer. */
export async function withQueue(work: (db: Db, producer: QueueProducer) => Promise<object>): Promise<void> {
  const env = readEnvOrExit(z.object(processVariables), process.env)
  const producer = openProducer(queueLocation(databaseOptions(env), env))
  try {
    await withDatabase((db) => work(db, producer))
  } finally {
    await producer.close()
  }
}

export function printAnswer(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer).replace(CONTROL_CHARACTERS, escaped)}\n`)
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

/** The actor in the audit log: this command, and the account that runs it. */
export const ACTOR = `operator ${process.env.USER ?? process.env.LOGNAME ?? ''}`.trim()

/** Returns the result of `work`. @throws UserError with `message` when a unique value is taken. */
export async function rejectDuplicate<T>(work: Promise<T>, message: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '23505') throw new UserError(message)
    throw error
  }
}
