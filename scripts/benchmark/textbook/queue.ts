import { Queue } from 'bullmq'
import { openRedis } from '../../../db/queue/open-redis.ts'

export const TEXTBOOK_QUEUE = 'textbook'

/** One job per dataset. */
export interface DatasetJob {
  readonly id: string
}

export function openTextbookQueue(redisUrl: string): Queue<DatasetJob, void, 'dataset'> {
  return new Queue(TEXTBOOK_QUEUE, {
    connection: openRedis({ url: redisUrl }, { failFast: true }),
    defaultJobOptions: {
      attempts: 5,
      backoff: { type: 'exponential', delay: 1_000 },
      removeOnComplete: true,
      removeOnFail: { count: 1_000 },
    },
  })
}
