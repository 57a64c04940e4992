import { z } from 'zod'
import type { Db } from '../../db/postgres/database.ts'
import { findDefinitionText } from '../../db/scorecards/scorecards.ts'
import { JsonText } from '../http/endpoint.ts'
import EXAMPLE_DEFINITION from './example-definition.json' with { type: 'json' }
import { versionEndpoint } from './version-endpoint.ts'

/** Not described by its full JSON Schema, which has 55 MB; docs/scorecards.md describes it. */
export const Definition = z.looseObject({}).meta({
  id: 'ScorecardDefinition',
  description: 'Scorecard definition; docs/scorecards.md describes the format',
  examples: [EXAMPLE_DEFINITION],
})

export const scorecardDefinition = (db: Db) =>
  versionEndpoint(
    {
      path: '/api/scorecards/v1/:version',
      operationId: 'readScorecard',
      summary: 'Returns the definition of a version',
      response: { description: 'The definition, which is immutable', schema: Definition },
    },
    async (subscriptionId, version) => {
      const text = await findDefinitionText(db, subscriptionId, version)
      return text === undefined ? undefined : new JsonText(text)
    },
  )
