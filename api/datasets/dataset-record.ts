import { findDatasetRecord } from '../../db/datasets/dataset-records.ts'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Trail } from '../audit/trail.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { Dataset } from './dataset-schemas.ts'
import { REFERENCE_NUMBER_PARAM, requireReferenceNumber } from './reference-number.ts'

export const datasetRecord = ({ db, vault, trail }: { db: Db; vault: Vault; trail: Trail }) =>
  endpoint({
    method: 'get',
    path: '/api/datasets/v1/:referenceNumber',
    operationId: 'showDataset',
    tag: 'Datasets',
    summary: 'Returns a dataset',
    description:
      'Returns status, device, client, Additional Info and velocity, both as counted during processing and current. Does not ' +
      'wait for processing, and is not recorded as a request for the insight. Recorded in the audit log, once a minute. A deleted dataset has no deleted values.',
    credential: { kind: 'either', scope: 'datasets:read', roles: ['admin', 'analyst'] },
    params: REFERENCE_NUMBER_PARAM,
    response: { status: 200, description: 'The dataset', schema: Dataset },
    problems: ['dataset_not_found'],
    async act({ caller: { subscriptionId }, actor, params }) {
      const referenceNumber = requireReferenceNumber(params)
      const found = await findDatasetRecord(db, subscriptionId, referenceNumber, vault)
      if (!found) throw new Problem('dataset_not_found')
      trail.noteOnceAMinute({ subscriptionId, actor, action: 'dataset.view', subject: referenceNumber })
      return found
    },
  })
