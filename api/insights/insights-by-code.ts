import { z } from 'zod'
import { REFERENCE_NUMBER_PARAM, requireReferenceNumber } from '../datasets/reference-number.ts'
import { endpoint } from '../http/endpoint.ts'
import { type Fragment, InsightsByCode, type Score } from './insight-schemas.ts'
import type { ReadInsight, ReadyInsight } from './read-insight.ts'

const OneCode = z
  .string()
  .regex(/^[^,]*$/, 'must be repeated for several codes: codes=a&codes=b, not codes=a,b')

const Query = z.object({
  codes: z
    .union([OneCode, z.array(OneCode)])
    .meta({
      description:
        'Codes to return; repeat the parameter for several. Unknown codes are ignored; omit for all',
      examples: [['app_score', 'velocity']],
    })
    .transform((codes) => new Set(Array.isArray(codes) ? codes : [codes]))
    .optional(),
})

export const insightsByCode = (readInsight: ReadInsight, waitMs: number) =>
  endpoint({
    method: 'get',
    path: '/api/insights/v1/:referenceNumber',
    operationId: 'requestInsights',
    tag: 'Getting started',
    summary: 'Returns the insights of a dataset with an API key',
    description: 'Waits for a dataset that is still queued, and processes it first.',
    credential: { kind: 'key', scope: 'insights:read' },
    params: REFERENCE_NUMBER_PARAM,
    query: Query,
    waitMs,
    response: { status: 200, description: 'The insights', schema: InsightsByCode },
    problems: ['dataset_not_found', 'dataset_deleted', 'dataset_invalid', 'insight_not_ready'],
    async act({ caller, actor: requestor, params, query: { codes } }) {
      const insight = await readInsight(caller.subscriptionId, requireReferenceNumber(params), {
        requestor,
      })
      return presentInsights(insight, codes)
    },
  })

function presentInsights(
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
