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
      .meta({ description: `How many waited too long; at most ${MAX_DATASETS} at once`, examples: [3] }),
    heard: z.boolean().meta({
      description:
        'Whether the queue took them; if not, it is away, and workers hear of them once it is back',
    }),
  })
  .meta({ id: 'PipelineRetry' })

export const retryOverdue = ({ db, producer }: { db: Db; producer: QueueProducer }) =>
  endpoint({
    method: 'post',
    path: '/api/pipeline/v1/retry',
    operationId: 'retryOverdue',
    tag: 'Pipeline',
    summary: 'Tell workers again of what waits too long',
    description:
      'Workers hear by themselves, again and again, of datasets that wait for longer than 15 s; the pauses in between grow up to 10 ' +
      'minutes. This begins anew at once. Nothing is processed twice by it, and within 15 s a second call finds nothing.',
    credential: { kind: 'login', roles: ['admin'] },
    response: { status: 200, description: 'How many there were', schema: PipelineRetry },
    problems: [],
    async act({ caller: { subscriptionId, email: actor } }) {
      const ids = await db.transaction(async (trx) => {
        const taken = await claimOverdue(trx, subscriptionId, MAX_DATASETS)
        if (taken.length > 0)
          await recordAudit(trx, {
            subscriptionId,
            actor,
            action: 'dataset.retry',
            detail: { datasets: taken.length },
          })
        return taken
      })
      const keys = ids.map((id) => ({ subscriptionId, id }))
      return { datasets: ids.length, heard: await producer.tryEnqueue(keys) }
    },
  })
