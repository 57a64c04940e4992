import { REFERENCE_NUMBER_PARAM, requireReferenceNumber } from '../datasets/reference-number.ts'
import { endpoint, JsonText } from '../http/endpoint.ts'
import { DatasetInsight } from './insight-schemas.ts'
import { presentInsight } from './present-insight.ts'
import type { ReadInsight } from './read-insight.ts'
import { etagOf } from './ready-insight.ts'

export const datasetInsight = (readInsight: ReadInsight, waitMs: number) =>
  endpoint({
    method: 'get',
    path: '/v6.0/datasets/:referenceNumber/datasetinsight',
    operationId: 'requestDatasetInsight',
    tag: 'Getting started',
    summary: 'Returns the insight of a dataset with a login token',
    description: 'Waits for a dataset that is still queued, and processes it first.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: REFERENCE_NUMBER_PARAM,
    waitMs,
    isConditional: true,
    response: { status: 200, description: 'The insight', schema: DatasetInsight },
    problems: ['dataset_not_found', 'dataset_deleted', 'dataset_invalid', 'insight_not_ready'],
    async act({ caller, actor: requestor, params }) {
      const insight = await readInsight(caller.subscriptionId, requireReferenceNumber(params), {
        requestor,
      })
      return new JsonText(presentInsight(insight, requestor), etagOf(insight))
    },
  })
