import { deleteDataset } from '../../db/datasets/delete-datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { REFERENCE_NUMBER_PARAM, requireReferenceNumber } from './reference-number.ts'

export const deletion = (db: Db) =>
  endpoint({
    method: 'delete',
    path: '/api/datasets/v1/:referenceNumber',
    operationId: 'deleteDataset',
    tag: 'Datasets',
    summary: 'Deletes a dataset',
    description:
      'Permanently deletes the data, features, scores, Additional Info and insight of the dataset. Its reference number stays ' +
      'taken: later requests for it return 410. Velocity counts do not change.',
    credential: { kind: 'either', scope: 'datasets:delete', roles: ['admin'] },
    stepUp: 'with_factor',
    params: REFERENCE_NUMBER_PARAM,
    response: { status: 204, description: 'The dataset is deleted' },
    problems: ['dataset_not_found', 'dataset_deleted'],
    async act({ caller: { subscriptionId }, actor, params }) {
      const outcome = await deleteDataset(db, subscriptionId, requireReferenceNumber(params), actor)
      if (outcome === 'unknown') throw new Problem('dataset_not_found')
      if (outcome === 'deleted_before') throw new Problem('dataset_deleted')
    },
  })
