import { z } from 'zod'
import type { Db } from '../../db/postgres/database.ts'
import { listLastTrials } from '../../db/scorecards/scorecard-trials.ts'
import { listVersions } from '../../db/scorecards/scorecards.ts'
import { endpoint } from '../http/endpoint.ts'
import { presentPage } from '../http/paging.ts'
import { presentTimestamp } from '../http/timestamp.ts'
import { ScorecardList } from './scorecard-responses.ts'
import { Code } from './scorecard-schemas.ts'

const Query = z.object({
  code: Code.optional().meta({ description: 'Only this code' }),
  cursor: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'next of the previous page; omit for the first page', examples: ['app_score'] }),
  limit: z.coerce
    .number()
    .pipe(z.int().min(1).max(100))
    .default(50)
    .meta({ description: 'Maximum number of codes per page' }),
})

export const scorecardList = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/scorecards/v1',
    operationId: 'listScorecards',
    tag: 'Scorecards',
    summary: 'Lists the scorecards of the subscription, by code and stage',
    description:
      'Under each code, one version is the champion, whose scores are returned. One may be the challenger, which scores in ' +
      'shadow. Drafts and retired versions do not score.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    query: Query,
    response: {
      status: 200,
      description: 'The codes in alphabetical order, each with its versions',
      schema: ScorecardList,
    },
    problems: [],
    async act({ caller: { subscriptionId }, query: { code: only, cursor = '', limit } }) {
      const [versions, trials] = await Promise.all([
        listVersions(db, subscriptionId),
        listLastTrials(db, subscriptionId),
      ])
      const byCode = Map.groupBy(versions, ({ code }) => code)
      const codes = [...byCode.keys()]
        .filter((code) => code > cursor && (only === undefined || code === only))
        .sort()
      const { items: page, next } = presentPage(codes, limit, (code) => code)
      return {
        items: page.map((code) => ({
          code,
          versions: (byCode.get(code) ?? []).map(
            ({ code: _, since, version, suspendedAt, suspendedBecause, ...staged }) => {
              const trial = trials.find((one) => one.code === code && one.version === version)
              return {
                ...{ version, ...staged, since: presentTimestamp(since) },
                suspended:
                  suspendedAt && suspendedBecause
                    ? { since: presentTimestamp(suspendedAt), because: suspendedBecause }
                    : null,
                trial: trial
                  ? { id: trial.id, state: trial.state, rows: trial.rows, matched: trial.matched }
                  : null,
              }
            },
          ),
        })),
        next,
      }
    },
  })
