import { z } from 'zod'
import { requeueInvalid } from '../../db/datasets/requeue-datasets.ts'
import { findCursor } from '../../db/datasets/search-datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { LOWEST_PRIORITY } from '../datasets/upload-priority.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { text } from '../http/text.ts'
import { InputTimestamp } from '../http/timestamp.ts'

/** Reference number of the last dataset read. */
const Cursor = text(1, 100)
  .nullish()
  .meta({ description: 'next of the previous response; omit for the first request', examples: ['LN-10482'] })

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
    idempotency: 'idempotent',
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
      const after = cursor ? await findCursor(db, subscriptionId, cursor) : { id: 0 }
      if (!after)
        throw new Problem('validation_failed', {
          errors: { cursor: ['must be next of the previous response'] },
        })
      const { keys, withoutData, last } = await requeueInvalid(
        db,
        subscriptionId,
        { ...(reason && { reason }), ...(since && { since }), ...(until && { until }) },
        { afterId: after.id, actor },
      )
      void producer.tryEnqueue(keys, { priority: LOWEST_PRIORITY })
      return { requeued: keys.length, withoutData, next: last }
    },
  })
