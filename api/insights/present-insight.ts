import { SOURCE_OF_PLATFORM } from '../../db/capture/capture.ts'
import type { ReadyInsight } from './read-insight.ts'

/**
 * The body of the insight call as a JSON text. Scores and fragments go out as they were stored: an insight is read without
 * a parse.
 */
export function presentInsight(insight: ReadyInsight, requestor: string): string {
  const datasetInfo = {
    referenceNumber: insight.referenceNumber,
    uploadDate: insight.uploadDate,
    source: insight.platform && SOURCE_OF_PLATFORM[insight.platform],
  }
  return (
    `{"datasetInfo":${JSON.stringify(datasetInfo)},"requestedDate":"${insight.requestedDate}",` +
    `"requestor":${JSON.stringify(requestor)},"scores":${insight.scores},"fragments":${insight.fragments}}`
  )
}
