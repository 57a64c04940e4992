import { pino } from 'pino'
import { measureBacklog } from '../../../db/datasets/backlog.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'
import { openProducer } from '../../../db/queue/producer.ts'
import { relayOverdue } from '../../../worker/maintenance/relay.ts'
import type { GrowthPlan } from './growth-plan.ts'
import type { CallMeter } from './measure-calls.ts'

/** As for the metrics of workers. */
const MAX_COUNTED = 10_000

/**
 * Measures the age of the queue and a pass of the relay while uploads wait and no worker runs.
 *
 * @param redisUrl an empty database, so that the jobs of the relay reach no worker.
 */
export async function measureQueue(
  { db, measure }: CallMeter,
  { passes, rounds }: GrowthPlan,
  { url, redisUrl }: { url: string; redisUrl: string },
): Promise<void> {
  await measure('age of the queue', passes, () => measureBacklog(db, MAX_COUNTED))
  const log = pino({ level: 'silent' })
  const producer = openProducer({ database: { url, poolMax: 1 }, redis: { url: redisUrl, tls: undefined } })
  try {
    await producer.hasLostJobs() // an empty Redis has: from now on it has not
    for (let round = 0; round < rounds; round++) {
      await queryRows(db, sql`update datasets set ring_at = now(), rings = 0 where ring_at is not null`)
      await measure('relay', 1, () => relayOverdue({ db, producer, log }))
    }
    await measure('relay: nothing due', passes, () => relayOverdue({ db, producer, log }))
  } finally {
    await producer.close()
  }
}
