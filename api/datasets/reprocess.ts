import { z } from 'zod'
import { requeueDataset } from '../../db/datasets/requeue-datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { ReferenceNumber } from './members.ts'
import { REFERENCE_NUMBER_PARAM, requireReferenceNumber } from './reference-number.ts'

const Reprocessing = z
  .object({
    referenceNumber: ReferenceNumber,
    requeued: z
      .boolean()
      .meta({ description: 'Whether the dataset was queued; false if it was waiting already' }),
  })
  .meta({ id: 'DatasetReprocessing' })

export const reprocess = ({ db, producer }: { db: Db; producer: QueueProducer }) =>
  endpoint({
    method: 'post',
    path: '/api/datasets/v1/:referenceNumber/reprocess',
    operationId: 'reprocessDataset',
    idempotency: 'idempotent',
    tag: 'Datasets',
    summary: 'Reprocesses a dataset',
    description:
      'Reprocesses the uploaded data with the current scorecards and fragments, ahead of all waiting datasets. Velocity does not ' +
      'count the dataset again. Safe to retry.',
    credential: { kind: 'login', roles: ['admin'] },
    params: REFERENCE_NUMBER_PARAM,
    response: { status: 200, description: 'The dataset waits to be processed', schema: Reprocessing },
    problems: ['dataset_not_found', 'dataset_deleted', 'conflict'],
    async act({ caller: { subscriptionId }, actor, params }) {
      const referenceNumber = requireReferenceNumber(params)
      const found = await requeueDataset(db, subscriptionId, referenceNumber, actor)
      switch (found.outcome) {
        case 'unknown':
          throw new Problem('dataset_not_found')
        case 'deleted':
          throw new Problem('dataset_deleted')
        case 'without_data':
          throw new Problem('conflict', {
            detail: 'The data of this dataset was removed by retention, so it cannot be reprocessed',
          })
        default:
          void producer.tryEnqueue([found.key], { priority: 'urgent' })
          return { referenceNumber, requeued: found.outcome === 'requeued' }
      }
    },
  })
