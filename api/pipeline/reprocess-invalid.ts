import { z } from 'zod'
import { requeueInvalid } from '../../db/datasets/requeue-datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { LOWEST_PRIORITY } from '../datasets/upload-priority.ts'
import { endpoint } from '../http/endpoint.ts'
import { text } from '../http/text.ts'
import { InputTimestamp } from '../http/timestamp.ts'

/** Id of the last dataset read. */
const Cursor = z
  .string()
  .regex(/^\d{1,15}$/, 'must be next of the previous response')
  .nullish()
  .meta({ description: 'next of the previous response; omit for the first request', examples: ['10482'] })

const ReprocessRequest = z
  .object({
    status: z
      .literal('invalid', 'must be invalid: reprocess other datasets one at a time')
      .meta({ description: 'Status of the datasets to reprocess' }),
    reason: text(1, 100)
      .nullish()
      .meta({ description: 'Only datasets with this error code', examples: ['not_gzip'] }),
    since: InputTimestamp.nullish().meta({ description: 'Only datasets uploaded at or after this time' }),
    until: InputTimestamp.nullish().meta({ description: 'Only datasets uploaded before this time' }),
    cursor: Cursor,
  })
  .meta({ id: 'ReprocessRequest' })

const Reprocessing = z
  .object({
    requeued: z.int().meta({ description: 'Datasets queued by this request', examples: [128] }),
    withoutData: z.int().meta({
      description: 'Datasets that cannot be reprocessed because retention removed their data',
      examples: [0],
    }),
    next: z
      .string()
      .nullable()
      .meta({ description: 'Cursor of the next request; null when all are queued', examples: [null] }),
  })
  .meta({ id: 'Reprocessing' })

export const reprocessInvalid = ({ db, producer }: { db: Db; producer: QueueProducer }) =>
  endpoint({
    method: 'post',
    path: '/api/pipeline/v1/reprocess',
    operationId: 'reprocessInvalid',
    tag: 'Pipeline',
    summary: 'Reprocesses invalid datasets',
    description:
      'For use after the cause is fixed. Each request reads up to 5,000 invalid datasets, oldest first; repeat it with next until ' +
      'next is null. Skips datasets that wait already, so it is safe to retry. New uploads are processed before them.',
    credential: { kind: 'login', roles: ['admin'] },
    body: ReprocessRequest,
    response: { status: 200, description: 'Numbers of datasets', schema: Reprocessing },
    problems: [],
    async act({ caller: { subscriptionId }, actor, body: { reason, since, until, cursor } }) {
      const { keys, withoutData, afterId } = await requeueInvalid(
        db,
        subscriptionId,
        { ...(reason && { reason }), ...(since && { since }), ...(until && { until }) },
        { afterId: Number(cursor ?? 0), actor },
      )
      void producer.tryEnqueue(keys, { priority: LOWEST_PRIORITY })
      return { requeued: keys.length, withoutData, next: afterId === null ? null : String(afterId) }
    },
  })
