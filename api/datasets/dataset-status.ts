import { findDatasetSummary } from '../../db/datasets/dataset-records.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { DatasetItem } from './dataset-schemas.ts'
import { REFERENCE_NUMBER_PARAM, requireReferenceNumber } from './reference-number.ts'

const DatasetStatus = DatasetItem.pick({
  ...{ referenceNumber: true, status: true, platform: true },
  ...{ uploadedAt: true, settledAt: true, waiting: true, invalid: true },
}).meta({ id: 'DatasetStatus' })

export const datasetStatus = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/datasets/v1/:referenceNumber/status',
    operationId: 'showDatasetStatus',
    tag: 'Datasets',
    summary: 'Returns the status of a dataset',
    description:
      'The members of showDataset without personal data, by one probe of an index. Does not wait for processing, and is not recorded.',
    credential: { kind: 'either', scope: 'datasets:read', roles: ['admin', 'analyst'] },
    params: REFERENCE_NUMBER_PARAM,
    response: { status: 200, description: 'The status', schema: DatasetStatus },
    problems: ['dataset_not_found'],
    async act({ caller: { subscriptionId }, params }) {
      const found = await findDatasetSummary(db, subscriptionId, requireReferenceNumber(params))
      if (!found) throw new Problem('dataset_not_found')
      return found
    },
  })
