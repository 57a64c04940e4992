import type { Db } from '../../db/postgres/database.ts'
import { deployFragment } from '../../db/scorecards/fragments.ts'
import { promoteScorecard } from '../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../db/scorecards/scorecards.ts'
import { aScorecard } from './scorecards.ts'

/** A code with two versions, of which one replaced the other, with a trial, and with a fragment of the same code. */
export interface StagedScorecard {
  readonly code: string
  /** The champion. */
  readonly version: string
  readonly trialId: number
}

/** Stages a scorecard, as an admin does. @param name of code, definition and fragment. */
export async function stageScorecard(db: Db, subscriptionId: number, name: string): Promise<StagedScorecard> {
  let version = ''
  for (const basePoints of [500, 600]) {
    version = await saveDefinition(db, subscriptionId, aScorecard({ name, output: { max: basePoints } }))
    await db.transaction((trx) => promoteScorecard(trx, { subscriptionId, code: name, version }))
  }
  await deployFragment(db, subscriptionId, name, 'velocity')
  const [trial] = await db('scorecard_trials')
    .insert({
      ...{ subscription_id: subscriptionId, code: name, version, asked_by: name, captures: 1 },
      ...{ state: 'failed', error: 'made up', ended_at: db.fn.now() },
    })
    .returning('id')
  return { code: name, version, trialId: trial.id }
}
