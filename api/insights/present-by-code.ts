import type { z } from 'zod'
import type { Fragment, InsightsByCode, Score } from './insight-schemas.ts'
import type { ReadyInsight } from './ready-insight.ts'

/** Returns the insights of a dataset as a list of scores and fragments. @param codes undefined: all */
export function presentByCode(
  insight: ReadyInsight,
  codes: ReadonlySet<string> | undefined,
): z.output<typeof InsightsByCode> {
  // written by the worker with these types
  const scores: z.output<typeof Score>[] = JSON.parse(insight.scores)
  const fragments: z.output<typeof Fragment>[] = JSON.parse(insight.fragments)
  return {
    referenceNumber: insight.referenceNumber,
    requestedDate: insight.requestedDate,
    insights: [
      ...scores.map(({ code, value, probability }) => ({ code, value: { value, probability } })),
      ...fragments,
    ]
      .filter(({ code }) => !codes || codes.has(code))
      .map(({ code, value }) => ({ code, value, calculatedDate: insight.calculatedDate })),
  }
}
