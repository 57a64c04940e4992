import type { FoundInsight } from '../../db/datasets/insights.ts'
import { Problem } from '../http/problem.ts'

/** An insight that is ready. */
export interface ReadyInsight extends FoundInsight {
  readonly scores: string
  readonly fragments: string
  readonly calculatedDate: string
}

/** Seconds after which a read of an insight that is not ready is worth repeating. */
const RETRY_SECONDS = 5

/** The problem of a reference number whose collection is not complete yet. */
export const beingCollected = (): Problem =>
  new Problem('insight_not_ready', {
    detail: 'The browser is still collecting; the dataset exists once its page completes the collection',
    retryAfterSeconds: RETRY_SECONDS,
  })

/** Returns the insight. @throws Problem `dataset_not_found`, `dataset_deleted`, `dataset_invalid` or `insight_not_ready`. */
export function requireReady(found: FoundInsight | undefined): ReadyInsight {
  if (!found) throw new Problem('dataset_not_found')
  if (found.status === 'deleted') throw new Problem('dataset_deleted')
  if (found.status === 'invalid')
    throw new Problem('dataset_invalid', {
      detail: `The data of this dataset could not be decoded: ${found.invalidDetail ?? 'no reason was stored'}`,
    })
  const { scores, fragments, calculatedDate } = found
  if (scores === null || fragments === null || calculatedDate === null)
    throw new Problem('insight_not_ready', { retryAfterSeconds: RETRY_SECONDS })
  return { ...found, scores, fragments, calculatedDate }
}

/**
 * Returns the entity tag of an insight. It changes whenever the insight is calculated; weak, since `requestedDate` differs in each
 * response.
 *
 * @see RFC 9110, section 8.8
 */
export const etagOf = ({ calculatedDate }: ReadyInsight): string => `W/"${calculatedDate}"`
