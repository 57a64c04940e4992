import { z } from 'zod'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { claimOverdue } from '../../db/datasets/backlog.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { endpoint } from '../http/endpoint.ts'

const MAX_DATASETS = 5_000

const PipelineRetry = z
  .object({
    datasets: z
      .int()
      .meta({ description: `Overdue datasets; at most ${MAX_DATASETS} per request`, examples: [3] }),
    heard: z.boolean().meta({
      description:
        'Whether the queue accepted them; if it is unavailable, they are enqueued once it is available again',
    }),
  })
  .meta({ id: 'PipelineRetry' })

export const retryOverdue = ({ db, producer }: { db: Db; producer: QueueProducer }) =>
  endpoint({
    method: 'post',
    path: '/api/pipeline/v1/retry',
    operationId: 'retryOverdue',
    idempotency: 'idempotent',
    tag: 'Pipeline',
    summary: 'Enqueues overdue datasets again',
    description:
      'Datasets that wait longer than 15 s are enqueued again automatically, at intervals that grow up to 10 minutes. This request ' +
      'restarts that at once. No dataset is processed twice, and a second request within 15 s finds none.',
    credential: { kind: 'login', roles: ['admin'] },
    response: { status: 200, description: 'Number of overdue datasets', schema: PipelineRetry },
    problems: [],
    async act({ caller: { subscriptionId }, actor }) {
      const ids = await db.transaction(async (trx) => {
        const claimed = await claimOverdue(trx, subscriptionId, MAX_DATASETS)
        if (claimed.length > 0)
          await recordAudit(trx, {
            subscriptionId,
            actor,
            action: 'dataset.retry',
            detail: { datasets: claimed.length },
          })
        return claimed
      })
      const keys = ids.map((id) => ({ subscriptionId, id }))
      return { datasets: ids.length, heard: await producer.tryEnqueue(keys) }
    },
  })
