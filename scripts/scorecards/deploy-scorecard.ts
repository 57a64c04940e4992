import type { Actor } from '../../db/audit/actor.ts'
import type { AuditAction } from '../../db/audit/audit-actions.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { requireSecondPerson } from '../../db/scorecards/four-eyes.ts'
import { promoteScorecard, type StageChange, StageError } from '../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../db/scorecards/scorecards.ts'
import { UserError } from '../cli/user-error.ts'
import { readScorecard } from './read-scorecard.ts'

const DEMO_SCORECARDS = {
  demo_mobile: new URL('demo-mobile.json', import.meta.url),
  demo_web: new URL('demo-web.json', import.meta.url),
}

/**
 * Changes the stage of a scorecard version and records the change in the same transaction.
 *
 * @throws UserError for a change that the present stages do not allow.
 */
export async function changeStage(
  trx: Db,
  { subscriptionId, actor, action }: { subscriptionId: number; actor: Actor; action: AuditAction },
  change: () => Promise<StageChange>,
): Promise<StageChange> {
  const changed = await change().catch((error: unknown) => {
    throw error instanceof StageError ? new UserError(error.message) : error
  })
  const { code, ...detail } = changed
  await recordAudit(trx, { subscriptionId, actor, action, subject: code, detail })
  return changed
}

/** Deploys a definition as champion, which four eyes forbid: saving and promoting it are two people's then. */
export async function deployScorecard(
  trx: Db,
  { subscriptionId, actor, code }: { subscriptionId: number; actor: Actor; code: string },
  definition: Scorecard,
): Promise<object> {
  const version = await saveDefinition(trx, subscriptionId, definition, actor)
  const changed = await changeStage(trx, { subscriptionId, actor, action: 'scorecard.deploy' }, async () => {
    await requireSecondPerson(trx, { subscriptionId, version, actor })
    return promoteScorecard(trx, { subscriptionId, code, version })
  })
  return { ...changed, name: definition.name, platforms: definition.platforms }
}

/** Deploys the scorecards that a new subscription starts with, under the codes demo_mobile and demo_web. */
export async function deployDemoScorecards(
  trx: Db,
  subscriptionId: number,
  actor: Actor = { kind: 'operator', id: null, name: '' },
): Promise<void> {
  for (const [code, file] of Object.entries(DEMO_SCORECARDS))
    await deployScorecard(trx, { subscriptionId, actor, code }, await readScorecard(file))
}
