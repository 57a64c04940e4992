import { z } from 'zod'
import { findSubscription, type Subscription } from '../../db/accounts/subscriptions.ts'
import { type Db, databaseOptions, openDatabase } from '../../db/postgres/database.ts'
import { openProducer, type QueueProducer, queueLocation } from '../../db/queue/producer.ts'
import { processVariables, readEnvOrExit } from '../../db/runtime/env.ts'
import { Refusal } from './refusal.ts'

/** Runs something on the database of the environment, and prints its answer as one JSON object. */
export async function withDatabase(work: (db: Db) => Promise<object>): Promise<void> {
  const env = readEnvOrExit(z.object(processVariables), process.env)
  const db = openDatabase(databaseOptions(env))
  try {
    print(await work(db))
  } finally {
    await db.destroy()
  }
}

/** As `withDatabase`, with the queue beside it. */
export async function withQueue(work: (db: Db, producer: QueueProducer) => Promise<object>): Promise<void> {
  const env = readEnvOrExit(z.object(processVariables), process.env)
  const producer = openProducer(queueLocation(databaseOptions(env), env), () => undefined) // ringing fails with its own error
  try {
    await withDatabase((db) => work(db, producer))
  } finally {
    await producer.close()
  }
}

export function print(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer).replace(OBEYED, escaped)}\n`)
}

/** What JSON leaves as it is and a terminal may obey: control characters of eight bits, and line ends of Unicode. */
const OBEYED = /[\u007f-\u009f\u2028\u2029]/g

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** @throws Refusal when there is no such subscription. */
export async function requireSubscription(db: Db, nameOrId: string): Promise<Subscription> {
  const subscription = await findSubscription(db, nameOrId)
  if (!subscription) throw new Refusal(`There is no subscription ${JSON.stringify(nameOrId)}`)
  return subscription
}

/** Who the audit log names: this command, and the account that runs it. */
export const ACTOR = `operator ${process.env.USER ?? process.env.LOGNAME ?? ''}`.trim()

/** The work's outcome, or a refusal in these words where a unique value is taken. */
export async function refuseTaken<T>(work: Promise<T>, message: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '23505') throw new Refusal(message)
    throw error
  }
}
