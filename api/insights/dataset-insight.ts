import { SOURCE_OF_PLATFORM } from '../../db/capture.ts'
import { endpoint, JsonText } from '../http/endpoint.ts'
import { DatasetInsight } from './insight-schemas.ts'
import type { ReadInsight, ReadyInsight } from './read-insight.ts'

export const datasetInsight = (readInsight: ReadInsight, waitMs: number) =>
  endpoint({
    method: 'get',
    path: '/v6.0/datasets/:referenceNumber/datasetinsight',
    operationId: 'requestDatasetInsight',
    tag: 'Insights',
    summary: 'Request the insight of a dataset, by login token',
    description: 'A dataset that is still queued is processed first and waited for.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: { referenceNumber: 'Of the dataset, percent-encoded' },
    waitMs,
    answer: { status: 200, description: 'The insight', schema: DatasetInsight },
    problems: ['dataset_not_found', 'dataset_deleted', 'dataset_invalid', 'insight_not_ready'],
    async act({ caller, params, address }) {
      const requestor = caller.email
      const insight = await readInsight(caller.subscriptionId, params.referenceNumber ?? '', {
        requestor,
        address,
      })
      return presentInsight(insight, requestor)
    },
  })

/** Scores and fragments go out as they were stored: an insight is read without a parse. */
function presentInsight(insight: ReadyInsight, requestor: string): JsonText {
  const datasetInfo = {
    referenceNumber: insight.referenceNumber,
    uploadDate: insight.uploadDate,
    source: insight.platform && SOURCE_OF_PLATFORM[insight.platform],
  }
  return new JsonText(
    `{"datasetInfo":${JSON.stringify(datasetInfo)},"requestedDate":"${insight.requestedDate}",` +
      `"requestor":${JSON.stringify(requestor)},"scores":${insight.scores},"fragments":${insight.fragments}}`,
  )
}
