import { z } from 'zod'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { endpoint } from '../http/endpoint.ts'
import { enqueueOverdue, MAX_OVERDUE } from './enqueue-overdue.ts'

const PipelineRetry = z
  .object({
    datasets: z
      .int()
      .meta({ description: `Overdue datasets; at most ${MAX_OVERDUE} per request`, examples: [3] }),
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
      return enqueueOverdue({ db, producer }, subscriptionId, actor)
    },
  })
