import { z } from 'zod'
import { REFERENCE_NUMBER_PARAM, requireReferenceNumber } from '../datasets/reference-number.ts'
import { endpoint, JsonText } from '../http/endpoint.ts'
import { InsightsByCode } from './insight-schemas.ts'
import { presentByCode } from './present-by-code.ts'
import type { ReadInsight } from './read-insight.ts'
import { etagOf } from './ready-insight.ts'

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
    isConditional: true,
    response: { status: 200, description: 'The insights', schema: InsightsByCode },
    problems: ['dataset_not_found', 'dataset_deleted', 'dataset_invalid', 'insight_not_ready'],
    async act({ caller, actor: requestor, params, query: { codes } }) {
      const insight = await readInsight(caller.subscriptionId, requireReferenceNumber(params), {
        requestor,
      })
      return new JsonText(JSON.stringify(presentByCode(insight, codes)), etagOf(insight))
    },
  })
