import { type Actor, actorText } from '../../db/audit/actor.ts'
import { SOURCE_OF_PLATFORM } from '../../db/capture/capture.ts'
import type { ReadyInsight } from './ready-insight.ts'

/**
 * Returns the body of the insight response as JSON text. Scores and fragments are inserted as stored, without parsing.
 */
export function presentInsight(insight: ReadyInsight, requestor: Actor): string {
  const datasetInfo = {
    referenceNumber: insight.referenceNumber,
    uploadDate: insight.uploadDate,
    source: insight.platform && SOURCE_OF_PLATFORM[insight.platform],
    ...(insight.collection !== null && { collection: JSON.parse(insight.collection) }),
  }
  return (
    `{"datasetInfo":${JSON.stringify(datasetInfo)},"requestedDate":"${insight.requestedDate}",` +
    `"requestor":${JSON.stringify(actorText(requestor))},"scores":${insight.scores},"fragments":${insight.fragments}}`
  )
}
