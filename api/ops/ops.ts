import type { DefaultLimits } from '../../db/limits/default-limits.ts'
import type { DrainTime } from '../../db/monitoring/drain-time.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueLocation } from '../../db/queue/open-queue.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import type { QueueView } from '../../db/queue/queue-view.ts'
import type { Challenges } from '../factors/challenges.ts'
import type { AuthenticateOperator } from './operator-authentication.ts'

/** What the operators' pages show, what they change, and their authentication. */
export interface Ops {
  readonly db: Db
  readonly producer: QueueProducer
  readonly challenges: Challenges
  readonly authenticateOperator: AuthenticateOperator
  readonly queue: Pick<QueueView, 'open'>
  readonly location: QueueLocation
  readonly readDrain: () => Promise<DrainTime>
  /** Limits of subscriptions without their own. */
  readonly limits: DefaultLimits
  /** Origin at which browsers see this service, if it is set. */
  readonly publicOrigin: string | undefined
}
