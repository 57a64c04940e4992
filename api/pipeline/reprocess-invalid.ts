import { z } from 'zod'
import { requeueInvalid } from '../../db/datasets/requeue-datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { MAX_RANK } from '../datasets/upload-priority.ts'
import { endpoint } from '../http/endpoint.ts'
import { text } from '../http/text.ts'
import { InputTimestamp } from '../http/timestamp.ts'

/** The id of the last dataset that was looked at. */
const Cursor = z
  .string()
  .regex(/^\d{1,15}$/, 'must be next of the answer before')
  .nullish()
  .meta({ description: 'next of the answer before; none for the beginning', examples: ['10482'] })

const ReprocessRequest = z
  .object({
    status: z
      .literal('invalid', 'must be invalid: others are processed again one by one')
      .meta({ description: 'Status of the datasets to process again' }),
    reason: text(1, 100)
      .nullish()
      .meta({ description: 'Only those invalid for this reason', examples: ['not_gzip'] }),
    since: InputTimestamp.nullish().meta({ description: 'Only those uploaded then or later' }),
    until: InputTimestamp.nullish().meta({ description: 'Only those uploaded before' }),
    cursor: Cursor,
  })
  .meta({ id: 'ReprocessRequest' })

const Reprocessing = z
  .object({
    requeued: z.int().meta({ description: 'How many wait to be processed now', examples: [128] }),
    withoutData: z.int().meta({
      description: 'How many cannot be: their data was removed when its time was over',
      examples: [0],
    }),
    next: z
      .string()
      .nullable()
      .meta({ description: 'cursor of the next call, which goes on; null: that was all', examples: [null] }),
  })
  .meta({ id: 'Reprocessing' })

export const reprocessInvalid = ({ db, producer }: { db: Db; producer: QueueProducer }) =>
  endpoint({
    method: 'post',
    path: '/api/pipeline/v1/reprocess',
    operationId: 'reprocessInvalid',
    tag: 'Pipeline',
    summary: 'Process invalid datasets again',
    description:
      'After what they were invalid for is mended. One call looks at 5,000 invalid datasets, oldest first; call again with next until ' +
      'it is null. Those that wait already are left alone, so that sending this twice does no harm. They come after new uploads.',
    credential: { kind: 'login', roles: ['admin'] },
    body: ReprocessRequest,
    response: { status: 200, description: 'How many will be processed again', schema: Reprocessing },
    problems: [],
    async act({ caller: { subscriptionId, email: actor }, body: { reason, since, until, cursor } }) {
      const { keys, withoutData, afterId } = await requeueInvalid(
        db,
        subscriptionId,
        { ...(reason && { reason }), ...(since && { since }), ...(until && { until }) },
        { afterId: Number(cursor ?? 0), actor },
      )
      void producer.tryEnqueue(keys, { priority: MAX_RANK })
      return { requeued: keys.length, withoutData, next: afterId === null ? null : String(afterId) }
    },
  })
