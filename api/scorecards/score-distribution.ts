import { z } from 'zod'
import { countScoreValues } from '../../db/monitoring/score-counts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { findVersion } from '../../db/scorecards/scorecards.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { text } from '../http/text.ts'
import { CODE_PATTERN, EXAMPLE_VERSION } from './scorecard-schemas.ts'

const Query = z.object({
  code: text(1, 200).meta({
    description: 'Code of the scorecard, as in insights',
    examples: ['app_score'],
  }),
  version: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of a definition, as in explanations')
    .optional()
    .meta({
      description: 'Version of the scorecard; omit for the current champion',
      examples: [EXAMPLE_VERSION],
    }),
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(400)
    .default(30)
    .meta({ description: 'Number of days, including today' }),
})

const ScoreDistribution = z
  .object({
    code: z
      .string()
      .meta({ description: 'Code of the scorecard', pattern: CODE_PATTERN, examples: ['app_score'] }),
    version: z
      .string()
      .meta({ description: 'SHA-256 of the scorecard definition', examples: [EXAMPLE_VERSION] }),
    since: z.iso.date().meta({ description: 'First day, in UTC', examples: ['2026-10-22'] }),
    days: z.int().meta({ description: 'Number of days', examples: [30] }),
    scored: z.int().meta({ description: 'Datasets with a score', examples: [3] }),
    unscored: z.int().meta({ description: 'Datasets without a score', examples: [0] }),
    values: z
      .array(
        z.object({
          value: z.number().meta({ description: 'Score', examples: [612] }),
          datasets: z.int().meta({ description: 'Datasets with this score', examples: [3] }),
        }),
      )
      .meta({ description: 'Scores, lowest first, with a precision of three significant digits' }),
  })
  .meta({ id: 'ScoreDistribution' })

export const scoreDistribution = (db: Db, now: () => Date = () => new Date()) =>
  endpoint({
    method: 'get',
    path: '/api/scores/v1/distribution',
    operationId: 'showScoreDistribution',
    tag: 'Scorecards',
    summary: 'Returns the distribution of recent scores',
    description:
      'Counts the datasets that one version of a scorecard scored under a code, each once when it was first processed. Workers ' +
      'store counts once a minute.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    query: Query,
    response: { status: 200, description: 'The distribution', schema: ScoreDistribution },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, query: { code, version: wanted, days } }) {
      const version = await findVersion(db, subscriptionId, { code, version: wanted })
      if (version === undefined)
        throw new Problem('not_found', {
          detail:
            'Your subscription has no such scorecard under this code; explanations contain codes and versions',
        })
      const since = new Date(now().getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
      const counts = await countScoreValues(db, subscriptionId, { code, version, since })
      const values = counts.flatMap(({ value, datasets }) => (value === null ? [] : [{ value, datasets }]))
      return {
        ...{ code, version, since, days },
        scored: values.reduce((sum, { datasets }) => sum + datasets, 0),
        unscored: counts.find(({ value }) => value === null)?.datasets ?? 0,
        values,
      }
    },
  })

const DAY_MS = 86_400_000
