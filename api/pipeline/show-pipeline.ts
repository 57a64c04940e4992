import { z } from 'zod'
import { measureSubscriptionBacklog } from '../../db/datasets/backlog.ts'
import { countInvalidReasons } from '../../db/datasets/invalid-summary.ts'
import { listPipelineCounts } from '../../db/monitoring/pipeline-counts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { presentTimestamp, Timestamp } from '../http/timestamp.ts'
import { type PipelineSpan, summariseCounts } from './summarise-counts.ts'

const MINUTE_MS = 60_000

/** Steps of each window. */
const WINDOWS = {
  hour: { stepMs: MINUTE_MS, steps: 60 },
  day: { stepMs: 15 * MINUTE_MS, steps: 96 },
} as const

const QUARANTINE_LIMIT = 10_000

const latency = z
  .int()
  .nullable()
  .meta({ examples: [84] })

const Span = {
  uploads: z.int().meta({ description: 'Datasets received, without upload retries', examples: [120] }),
  ready: z.int().meta({ description: 'Datasets that became ready when first processed', examples: [118] }),
  invalid: z.int().meta({ description: 'Datasets that became invalid when first processed', examples: [2] }),
  latencyP50Ms: latency.meta({
    description:
      'Median time from upload to ready or invalid, in milliseconds, within 6 %; null without datasets',
  }),
  latencyP95Ms: latency.meta({
    description:
      '95th percentile of the time from upload to ready or invalid, in milliseconds, within 6 %; null without datasets',
  }),
}

const Reasons = z.array(
  z
    .object({
      reason: z.string().meta({ description: 'Error code', examples: ['not_gzip'] }),
      datasets: z.int().meta({ description: 'Number of invalid datasets', examples: [2] }),
    })
    .meta({ id: 'InvalidReason' }),
)

const Pipeline = z
  .object({
    window: z.enum(['hour', 'day']).meta({ description: 'Requested window' }),
    stepSeconds: z.int().meta({ description: 'Length of a step in seconds', examples: [60] }),
    series: z
      .array(
        z
          .object({ at: Timestamp.meta({ description: 'Start of the step; UTC' }), ...Span })
          .meta({ id: 'PipelineStep' }),
      )
      .meta({
        description: 'Steps, oldest first, without gaps; the last one is incomplete',
      }),
    total: z.object(Span).meta({ description: 'Total of the window' }),
    invalidByReason: Reasons.meta({
      description: 'Invalid datasets of the window by error code, most frequent first',
    }),
    waiting: z
      .object({
        datasets: z.int().meta({ description: 'Datasets not processed yet', examples: [4] }),
        atLeast: z.boolean().meta({ description: 'Whether the count is a lower bound', examples: [false] }),
        oldestSeconds: z
          .number()
          .nullable()
          .meta({ description: 'Age of the oldest in seconds', examples: [0.8] }),
        overdue: z.int().meta({
          description: 'Datasets that wait longer than 15 s, which exceeds the usual time',
          examples: [0],
        }),
        again: z.int().meta({ description: 'Datasets that wait to be reprocessed', examples: [0] }),
      })
      .meta({ description: 'Datasets that wait now' }),
    quarantine: z
      .object({
        datasets: z.int().meta({ description: 'Number of invalid datasets', examples: [2] }),
        atLeast: z.boolean().meta({ description: 'Whether the count is a lower bound', examples: [false] }),
        reasons: Reasons.meta({ description: 'Error codes, most frequent first' }),
      })
      .meta({
        description: `Datasets that are invalid now, counting the newest ${QUARANTINE_LIMIT}; they can be reprocessed`,
      }),
  })
  .meta({ id: 'Pipeline' })

export const showPipeline = (db: Db, now: () => Date = () => new Date()) =>
  endpoint({
    method: 'get',
    path: '/api/pipeline/v1',
    operationId: 'showPipeline',
    tag: 'Pipeline',
    summary: 'Returns throughput, latency, backlog and quarantine',
    description:
      'Covers the last hour in steps of one minute, or the last day in steps of 15 minutes. Processes store their counts every 5 s, ' +
      'so the series lags by up to 5 s; a killed process loses its counts since then. Backlog and quarantine are current. ' +
      'Counts are stored for 14 days.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    query: z.object({
      window: z.enum(['hour', 'day']).default('hour').meta({ description: 'Last hour or last day' }),
    }),
    response: { status: 200, description: 'The pipeline', schema: Pipeline },
    problems: [],
    async act({ caller: { subscriptionId }, query: { window } }) {
      const { stepMs, steps } = WINDOWS[window]
      const since = new Date((Math.floor(now().getTime() / stepMs) - steps + 1) * stepMs)
      const [counts, waiting, quarantine] = await Promise.all([
        listPipelineCounts(db, subscriptionId, since),
        measureSubscriptionBacklog(db, subscriptionId),
        countInvalidReasons(db, subscriptionId, QUARANTINE_LIMIT),
      ])
      const { series, ...rest } = summariseCounts(counts, { since, stepMs, steps })
      return {
        window,
        stepSeconds: stepMs / 1_000,
        series: series.map(presentStep),
        ...rest,
        waiting,
        quarantine,
      }
    },
  })

const presentStep = ({ at, ...span }: PipelineSpan & { at: Date }) => ({
  at: presentTimestamp(at),
  ...span,
})
