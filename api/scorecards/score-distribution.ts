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
    description: 'Code of the scorecard, as insights name it',
    examples: ['app_score'],
  }),
  version: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of a definition, as explanations name it')
    .optional()
    .meta({
      description: 'Whose scores; left out: those of the version that scores now',
      examples: [EXAMPLE_VERSION],
    }),
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(400)
    .default(30)
    .meta({ description: 'How many days back, today included' }),
})

const ScoreDistribution = z
  .object({
    code: z
      .string()
      .meta({ description: 'Code of the scorecard', pattern: CODE_PATTERN, examples: ['app_score'] }),
    version: z
      .string()
      .meta({ description: 'SHA-256 of the definition that scored', examples: [EXAMPLE_VERSION] }),
    since: z.iso.date().meta({ description: 'The first day, in UTC', examples: ['2026-10-22'] }),
    days: z.int().meta({ description: 'Number of days', examples: [30] }),
    scored: z.int().meta({ description: 'Datasets that got a score', examples: [3] }),
    unscored: z.int().meta({ description: 'Datasets that got none', examples: [0] }),
    values: z
      .array(
        z.object({
          value: z.number().meta({ description: 'The score', examples: [612] }),
          datasets: z.int().meta({ description: 'Datasets with it', examples: [3] }),
        }),
      )
      .meta({ description: 'Lowest first; values are told apart by their first three digits' }),
  })
  .meta({ id: 'ScoreDistribution' })

export const scoreDistribution = (db: Db, now: () => Date = () => new Date()) =>
  endpoint({
    method: 'get',
    path: '/api/scores/v1/distribution',
    operationId: 'showScoreDistribution',
    tag: 'Scorecards',
    summary: 'Show how scores were distributed lately',
    description:
      'Of the datasets of the subscription that one version of a scorecard scored under a code, each counted once when it was ' +
      'first processed. Workers write counts down once a minute.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    query: Query,
    response: { status: 200, description: 'The distribution', schema: ScoreDistribution },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, query: { code, version: wanted, days } }) {
      const version = await findVersion(db, subscriptionId, { code, version: wanted })
      if (version === undefined)
        throw new Problem('not_found', {
          detail:
            'Your subscription has no such scorecard under this code; explanations name codes and versions',
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
