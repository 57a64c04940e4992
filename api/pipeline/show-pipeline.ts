import { z } from 'zod'
import { measureSubscriptionBacklog } from '../../db/datasets/backlog.ts'
import { countInvalidReasons } from '../../db/datasets/invalid-summary.ts'
import { listPipelineCounts } from '../../db/monitoring/pipeline-counts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { presentTimestamp, Timestamp } from '../http/timestamp.ts'
import { type PipelineSpan, summariseCounts } from './summarise-counts.ts'

const MINUTE_MS = 60_000

/** How finely each window is divided. */
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
  uploads: z
    .int()
    .meta({ description: 'Datasets received, retries of an upload not counted', examples: [120] }),
  ready: z
    .int()
    .meta({ description: 'Datasets that became ready, each when it was first processed', examples: [118] }),
  invalid: z
    .int()
    .meta({ description: 'Datasets that became invalid, each when it was first processed', examples: [2] }),
  latencyP50Ms: latency.meta({
    description:
      'From upload to ready or invalid: half of the datasets took no longer; within 6 %. null: there were none',
  }),
  latencyP95Ms: latency.meta({ description: 'As latencyP50Ms, for 95 of 100' }),
}

const Reasons = z.array(
  z
    .object({
      reason: z.string().meta({ description: 'Code of the reason', examples: ['not_gzip'] }),
      datasets: z.int().meta({ description: 'Invalid datasets', examples: [2] }),
    })
    .meta({ id: 'InvalidReason' }),
)

const Pipeline = z
  .object({
    window: z.enum(['hour', 'day']).meta({ description: 'The window that was asked for' }),
    stepSeconds: z.int().meta({ description: 'Length of a step in seconds', examples: [60] }),
    series: z
      .array(
        z
          .object({ at: Timestamp.meta({ description: 'Begin of the step; UTC' }), ...Span })
          .meta({ id: 'PipelineStep' }),
      )
      .meta({
        description: 'Oldest first, without gaps; at is when the step begins. The last step is not over',
      }),
    total: z.object(Span).meta({ description: 'Of the whole window' }),
    invalidByReason: Reasons.meta({ description: 'Of the window, most frequent first' }),
    waiting: z
      .object({
        datasets: z.int().meta({ description: 'Uploads that are not processed yet', examples: [4] }),
        atLeast: z.boolean().meta({ description: 'There may be more than was counted', examples: [false] }),
        oldestSeconds: z
          .number()
          .nullable()
          .meta({ description: 'Seconds since the oldest of them was uploaded', examples: [0.8] }),
        overdue: z.int().meta({
          description: 'Those that wait longer than 15 s, which is more than a healthy queue takes',
          examples: [0],
        }),
        again: z.int().meta({ description: 'Datasets that wait to be processed again', examples: [0] }),
      })
      .meta({ description: 'At this moment' }),
    quarantine: z
      .object({
        datasets: z.int().meta({ description: 'Invalid datasets', examples: [2] }),
        atLeast: z.boolean().meta({ description: 'There may be more than was counted', examples: [false] }),
        reasons: Reasons.meta({ description: 'Most frequent first' }),
      })
      .meta({
        description: `Datasets that are invalid at this moment, of the newest ${QUARANTINE_LIMIT}; they can be processed again`,
      }),
  })
  .meta({ id: 'Pipeline' })

export const showPipeline = (db: Db, now: () => Date = () => new Date()) =>
  endpoint({
    method: 'get',
    path: '/api/pipeline/v1',
    operationId: 'showPipeline',
    tag: 'Pipeline',
    summary: 'Show what comes in, what becomes of it, and what waits',
    description:
      'Of the subscription: the last hour by minutes, or the last day by quarters of an hour. Processes write their counts down ' +
      'every 5 s, so that the series is so far behind; one that is killed loses what it counted since. What waits and what is invalid is ' +
      'counted as it is now. Counts are kept for 14 days.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    query: z.object({
      window: z.enum(['hour', 'day']).default('hour').meta({ description: 'The last hour, or the last day' }),
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
