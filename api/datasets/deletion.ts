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
    summary: 'Delete a dataset',
    description:
      'At once and for good: its data, all that was computed of it, its Additional Info and its insight. The reference number ' +
      'stays taken: from then on every call for it answers 410. Velocity keeps having counted the dataset.',
    credential: { kind: 'login', roles: ['admin'] },
    params: REFERENCE_NUMBER_PARAM,
    response: { status: 204, description: 'The dataset is deleted' },
    problems: ['dataset_not_found', 'dataset_deleted'],
    async act({ caller: { subscriptionId, email }, params }) {
      const outcome = await deleteDataset(db, subscriptionId, requireReferenceNumber(params), email)
      if (outcome === 'unknown') throw new Problem('dataset_not_found')
      if (outcome === 'deleted_before') throw new Problem('dataset_deleted')
    },
  })
