import { z } from 'zod'
import { listStability } from '../../db/monitoring/score-stability.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { NextCursor } from '../http/paging.ts'
import { requireCode } from './path-params.ts'
import { Code, Version } from './scorecard-schemas.ts'

const Stability = z
  .object({
    items: z
      .array(
        z
          .object({
            day: z.iso.date().meta({ description: 'The day, in UTC', examples: ['2026-11-19'] }),
            psi: z.number().meta({
              description:
                'Population stability index of the scores against the distribution in the definition, or against the first 30 days of the version',
              examples: [0.04],
            }),
            mark: z
              .enum(['stable', 'shifting', 'shifted'])
              .meta({ description: 'stable: below 0.10; shifting: below 0.25; shifted: 0.25 or more' }),
            characteristics: z
              .array(
                z.object({
                  name: z
                    .string()
                    .meta({ description: 'Name of the characteristic', examples: ['apps_installed_30d'] }),
                  csi: z.number().meta({ description: 'Characteristic stability index', examples: [0.02] }),
                }),
              )
              .meta({ description: 'Characteristics with the largest shift, largest first' }),
          })
          .meta({ id: 'StabilityDay', description: 'Stability of a day' }),
      )
      .meta({ description: 'Newest day first' }),
    next: NextCursor,
  })
  .meta({ id: 'ScorecardStability' })

export const stability = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/scorecards/v1/:code/stability',
    operationId: 'readScorecardStability',
    tag: 'Scorecards',
    summary: 'Returns the daily stability of the scores of a version',
    description:
      'Workers measure each complete day. Days without scores, or without a distribution to compare, are omitted.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: { code: Code },
    query: z.object({
      version: Version,
      days: z.coerce
        .number()
        .pipe(z.int().min(1).max(400))
        .default(30)
        .meta({ description: 'Number of days before today' }),
    }),
    response: { status: 200, description: 'Newest day first', schema: Stability },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, params, query: { version, days } }) {
      const measured = await listStability(db, subscriptionId, { code: requireCode(params), version, days })
      return {
        items: measured.map(({ characteristics, ...day }) => ({
          ...day,
          characteristics: JSON.parse(characteristics), // written by a worker with this type
        })),
        next: null,
      }
    },
  })
