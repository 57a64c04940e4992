import { z } from 'zod'
import type { Db } from '../../db/postgres/database.ts'
import { findDefinitionText } from '../../db/scorecards/scorecards.ts'
import { JsonText } from '../http/endpoint.ts'
import EXAMPLE_DEFINITION from './example-definition.json' with { type: 'json' }
import { versionEndpoint } from './version-endpoint.ts'

/** Described in docs/scorecards.md: as a JSON Schema with everything spelled out it has 55 MB. */
export const Definition = z.looseObject({}).meta({
  id: 'ScorecardDefinition',
  description: 'A scorecard, as docs/scorecards.md describes it',
  examples: [EXAMPLE_DEFINITION],
})

export const scorecardDefinition = (db: Db) =>
  versionEndpoint(
    {
      path: '/api/scorecards/v1/:version',
      operationId: 'readScorecard',
      summary: 'Read the definition of a version',
      response: { description: 'The definition, which never changes', schema: Definition },
    },
    async (subscriptionId, version) => {
      const text = await findDefinitionText(db, subscriptionId, version)
      return text === undefined ? undefined : new JsonText(text)
    },
  )
