import { z } from 'zod'
import { ReferenceNumber } from '../datasets/members.ts'
import { endpoint, JsonText } from '../http/endpoint.ts'
import { ProblemDetails, presentProblem } from '../http/present-problem.ts'
import { Problem } from '../http/problem.ts'
import { text } from '../http/text.ts'
import type { Limiter } from '../limits/limiter.ts'
import { InsightsByCode } from './insight-schemas.ts'
import { presentByCode } from './present-by-code.ts'
import type { ReadInsights } from './read-insights.ts'

/** Maximum number of reference numbers of a request. */
const MAX_NUMBERS = 100

/** Maximum number of codes of a request. */
const MAX_CODES = 100

/** Bytes of insights in a response, but for the last one; 100 usual ones have 0.8 MB. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024

/** More than the longest numbers and codes take. */
const MAX_BODY_BYTES = 512 * 1024

const Batch = z
  .object({
    referenceNumbers: z
      .array(ReferenceNumber)
      .min(1, 'must have at least one reference number')
      .max(MAX_NUMBERS, `must have at most ${MAX_NUMBERS} reference numbers`)
      .meta({
        description: 'Reference numbers of datasets; a repeated one is returned as often',
        examples: [['LN-2026-000123', 'LN-2026-000124']],
      }),
    codes: z
      .array(text(1, 200))
      .max(MAX_CODES, `must have at most ${MAX_CODES} codes`)
      .meta({
        description: 'Codes to return. Unknown codes are ignored; omit for all',
        examples: [['app_score', 'velocity']],
      })
      .transform((codes) => new Set(codes))
      .exactOptional(),
  })
  .meta({ id: 'InsightBatch' })

const Result = z
  .object({
    referenceNumber: ReferenceNumber,
    status: z.int().meta({
      description: 'Status that a single read would have: 200, or that of problem',
      examples: [200],
    }),
    insight: InsightsByCode.optional().meta({ description: 'With status 200: the insights of the dataset' }),
    problem: ProblemDetails.optional().meta({ description: 'With any other status: why there is none' }),
    retryAfterSeconds: z
      .int()
      .optional()
      .meta({ description: 'With status 503: seconds after which to read the number again', examples: [5] }),
  })
  .meta({ id: 'InsightResult' })

const InsightResults = z
  .object({
    results: z
      .array(Result)
      .meta({ description: 'One result for each reference number, in the order of the request' }),
  })
  .meta({ id: 'InsightResults' })

export const insightsBatch = (
  readInsights: ReadInsights,
  limiter: Pick<Limiter, 'countFurtherRequests'>,
  waitMs: number,
) =>
  endpoint({
    method: 'post',
    path: '/api/insights/v1/batch',
    operationId: 'requestInsightBatch',
    idempotency: 'safe',
    tag: 'Insights',
    summary: 'Returns the insights of up to 100 datasets',
    description:
      'Each reference number has a result of its own, as requestInsights would answer it: problems of some do not affect others. Waits for ' +
      'datasets that are still queued, all together, and processes them first. Each number is recorded as a read of the insight, and ' +
      `counts as a request in the limits. Once the insights exceed ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB, further ones have the problem ` +
      'payload_too_large: read them with another request.',
    credential: { kind: 'key', scope: 'insights:read' },
    body: Batch,
    maxBodyBytes: MAX_BODY_BYTES,
    waitMs,
    response: { status: 200, description: 'A result for each reference number', schema: InsightResults },
    problems: [],
    async act({ caller, actor: requestor, body: { referenceNumbers, codes }, requestId }) {
      limiter.countFurtherRequests(caller, referenceNumbers.length - 1)
      const results: string[] = []
      let bytes = 0
      const presentOutcome = (outcome: Parameters<Parameters<ReadInsights>[1]['onRead']>[1]) => {
        if (outcome instanceof Problem) return presentFailure(outcome, requestId)
        if (bytes > MAX_RESPONSE_BYTES) return presentFailure(tooLarge(), requestId)
        const insight = JSON.stringify(presentByCode(outcome, codes))
        bytes += Buffer.byteLength(insight)
        return `"status":200,"insight":${insight}`
      }
      await readInsights(caller.subscriptionId, {
        ...{ requestor, referenceNumbers },
        // as text at once: what is stored of it can be much longer, and others are awaited
        onRead: (at, outcome) => {
          results[at] =
            `{"referenceNumber":${JSON.stringify(referenceNumbers[at])},${presentOutcome(outcome)}}`
        },
      })
      return new JsonText(`{"results":[${results.join(',')}]}`)
    },
  })

const tooLarge = () =>
  new Problem('payload_too_large', {
    detail: 'The response is full; read this insight with another request, or request fewer codes',
  })

/** Returns the members of a result without an insight. A result has no Retry-After, to which the detail would refer. */
function presentFailure(problem: Problem, requestId: string): string {
  const { retryAfterSeconds } = problem.options
  const described = presentProblem(problem, requestId)
  const detail = described.detail.replace('the seconds in Retry-After', 'retryAfterSeconds')
  const members = { status: problem.status, problem: { ...described, detail }, retryAfterSeconds }
  return JSON.stringify(members).slice(1, -1)
}
