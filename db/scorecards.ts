import { type Db, queryRows } from './database.ts'
import type { Scorecard } from './scorecard.ts'

/** Which version of a scorecard a subscription has under a code. */
export interface DeployedScorecard {
  readonly subscriptionId: number
  readonly code: string
  /** SHA-256 of the definition as JSON, in hexadecimal: two equal versions are the same scorecard. */
  readonly version: string
}

/** From the next dataset on, this scorecard scores under this code, replacing what had it. */
export async function deployScorecard(
  db: Db,
  deployed: DeployedScorecard,
  definition: Scorecard,
): Promise<void> {
  const row = { version: deployed.version, definition: JSON.stringify(definition) }
  await db('scorecards')
    .insert({ subscription_id: deployed.subscriptionId, code: deployed.code, ...row })
    .onConflict(['subscription_id', 'code'])
    .merge({ ...row, deployed_at: db.fn.now() })
}

/** The scorecards of these subscriptions, by code; without their definitions, which rarely change. */
export async function listScorecards(
  db: Db,
  subscriptionIds: readonly number[],
): Promise<DeployedScorecard[]> {
  return queryRows<DeployedScorecard>(
    db,
    `select subscription_id as "subscriptionId", code, version from scorecards
     where subscription_id = any(?) order by subscription_id, code`,
    [subscriptionIds],
  )
}

/** The definition of each version that is deployed somewhere; they were validated when they were deployed. */
export async function listDefinitions(
  db: Db,
  versions: readonly string[],
): Promise<{ version: string; definition: Scorecard }[]> {
  return queryRows(
    db,
    'select distinct on (version) version, definition from scorecards where version = any(?)',
    [versions],
  )
}
