import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import { findDefinitionText } from '../../db/scorecards.ts'
import { endpoint, JsonText } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { requireVersion } from './path-params.ts'

/** Described in docs/scorecards.md: as a JSON Schema with everything spelled out it has 55 MB. */
export const Definition = z
  .looseObject({})
  .meta({ id: 'ScorecardDefinition', description: 'A scorecard, as docs/scorecards.md describes it' })

export const scorecardDefinition = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/scorecards/v1/:version',
    operationId: 'readScorecard',
    tag: 'Scorecards',
    summary: 'Read the definition of a version',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: { version: 'As the list of scorecards shows it' },
    answer: { status: 200, description: 'The definition, which never changes', schema: Definition },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, params }) {
      const text = await findDefinitionText(db, subscriptionId, requireVersion(params))
      if (text === undefined) throw new Problem('not_found')
      return new JsonText(text)
    },
  })
