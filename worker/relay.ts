import type { Logger } from 'pino'
import type { Db } from '../db/database.ts'
import type { Bell } from '../db/queue.ts'
import { takeOverdue } from '../db/waiting-datasets.ts'

const GROUP_ROWS = 128

const MAX_GROUPS = 40

/**
 * Rings again for datasets that waited too long: their job was never added, or got lost with Redis.
 *
 * Looks whether the queue takes jobs first, so that patience is not used up on ringing that cannot be heard.
 */
export async function relayOverdue({ db, bell, log }: { db: Db; bell: Bell; log: Logger }): Promise<void> {
  await bell.check()
  for (let group = 0; group < MAX_GROUPS; group++) {
    const overdue = await takeOverdue(db, GROUP_ROWS)
    if (overdue.length === 0) return
    await bell.ring(overdue)
    log.info({ datasets: overdue.length }, 'rang again')
  }
}
