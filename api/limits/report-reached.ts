import { recordDailyAlerts } from '../../db/events/daily-alerts.ts'
import { WHOLE } from '../../db/limits/limits.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { ReachedLimit } from './subject.ts'

/** Records an event of each limit that was not reached before on its day. */
export async function reportReached(db: Db, reached: readonly ReachedLimit[]): Promise<void> {
  await recordDailyAlerts(
    db,
    reached.map(({ subscriptionId, keyId, name, quota, day }) => ({
      subscriptionId,
      type: 'alert.limit_reached',
      day,
      subject: `${name} ${keyId}`,
      data: { limit: name, quota, day, ...(keyId !== WHOLE && { keyId }) },
    })),
  )
}
