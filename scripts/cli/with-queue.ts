import { type Db, databaseOptions } from '../../db/postgres/database.ts'
import { queueLocation } from '../../db/queue/open-queue.ts'
import { openProducer, type QueueProducer } from '../../db/queue/producer.ts'
import type { CommandIo } from './command-io.ts'
import { readProcessEnv, withDatabase } from './with-database.ts'

/** As `withDatabase`, with a queue producer. */
export async function withQueue(
  io: CommandIo,
  work: (db: Db, producer: QueueProducer) => Promise<object>,
): Promise<void> {
  const env = readProcessEnv(io)
  const producer = openProducer(queueLocation(databaseOptions(env), env))
  try {
    await withDatabase(io, (db) => work(db, producer))
  } finally {
    await producer.close()
  }
}
