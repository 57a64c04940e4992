import { z } from 'zod'
import type { Actor } from '../../db/audit/actor.ts'
import type { AuditAction } from '../../db/audit/audit-actions.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import { requireSecondPerson } from '../../db/scorecards/four-eyes.ts'
import {
  challengeScorecard,
  promoteScorecard,
  retireScorecard,
  rollBackScorecard,
  type StageChange,
  StageError,
} from '../../db/scorecards/scorecard-stages.ts'
import { findVerification } from '../../db/scorecards/scorecard-trials.ts'
import { hasVersion } from '../../db/scorecards/scorecards.ts'
import { resumeScorecard } from '../../db/scorecards/suspensions.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { requireCode } from './path-params.ts'
import { presentChange, StageChangeResponse } from './scorecard-responses.ts'
import { Code, StageAction, Version } from './scorecard-schemas.ts'

const TRANSITIONS = {
  challenge: challengeScorecard,
  promote: promoteScorecard,
  retire: retireScorecard,
  resume: resumeScorecard,
} as const satisfies Record<z.output<typeof StageAction>, unknown>

export const stageChange = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/scorecards/v1/:code/stage',
    operationId: 'changeScorecardStage',
    idempotency: 'idempotent',
    tag: 'Scorecards',
    summary: 'Changes the stage of a version',
    description:
      'Applies from the next batch of datasets: `challenge` makes it the challenger, which scores in shadow, and the previous ' +
      'challenger a draft; `promote` makes it the champion, whose scores are returned, and retires the previous one; `retire` ' +
      'stops its scoring; `resume` ends its suspension. To challenge or promote requires that a trial of the version is done and that ' +
      'every verification row matched in the latest one; a definition without such rows passes unverified. Where the policy requires ' +
      'four eyes, whoever saved a version cannot promote it. Existing scores do not change.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    params: { code: Code },
    body: z.object({ version: Version, action: StageAction }).meta({ id: 'StageRequest' }),
    response: { status: 200, description: 'The stage change', schema: StageChangeResponse },
    problems: ['not_found', 'conflict'],
    async act({ caller: { subscriptionId }, actor, params, body: { version, action } }) {
      const place = { subscriptionId, code: requireCode(params), version }
      return change(db, { ...place, actor, action: `scorecard.${action}` }, async (trx) => {
        if (!(await hasVersion(trx, place))) throw new Problem('not_found')
        if (action === 'challenge' || action === 'promote') await requireVerified(trx, place, action)
        if (action === 'promote') await requireSecondPerson(trx, { ...place, actor })
        return TRANSITIONS[action](trx, place)
      })
    },
  })

export const rollback = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/scorecards/v1/:code/rollback',
    operationId: 'rollBackScorecard',
    idempotency: 'not_idempotent',
    tag: 'Scorecards',
    summary: 'Rolls back to the previous champion',
    description:
      'Retires the champion and restores the one that it replaced, from the next batch of datasets.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    params: { code: Code },
    response: { status: 200, description: 'The stage change', schema: StageChangeResponse },
    problems: ['not_found', 'conflict'],
    async act({ caller: { subscriptionId }, actor, params }) {
      const place = { subscriptionId, code: requireCode(params) }
      return change(db, { ...place, actor, action: 'scorecard.rollback' }, (trx) =>
        rollBackScorecard(trx, place),
      )
    },
  })

interface Change {
  readonly subscriptionId: number
  readonly code: string
  readonly actor: Actor
  readonly action: AuditAction
}

/** Changes a stage and records it in the audit log, in one transaction. */
async function change(
  db: Db,
  { subscriptionId, code, actor, action }: Change,
  transition: (trx: Db) => Promise<StageChange>,
) {
  return db.transaction(async (trx) => {
    const changed = await transition(trx).catch((error: unknown) => {
      throw error instanceof StageError ? new Problem('conflict', { detail: error.message }) : error
    })
    const { version, replaced } = changed
    await recordAudit(trx, { subscriptionId, actor, action, subject: code, detail: { version, replaced } })
    return presentChange(changed)
  })
}

async function requireVerified(
  trx: Db,
  { subscriptionId, code, version }: { subscriptionId: number; code: string; version: string },
  action: 'challenge' | 'promote',
): Promise<void> {
  const verification = await findVerification(trx, subscriptionId, code, version)
  if (!verification)
    throw new Problem('conflict', {
      detail: `No trial of this version under this code is done yet; start one before ${action === 'promote' ? 'promoting' : 'challenging with'} it`,
    })
  const { rows, matched, mismatches } = verification
  if (matched < rows)
    throw new Problem('conflict', {
      detail: `${rows - matched} of the ${rows} verification rows of this version do not match (row ${mismatches[0]?.row}: ${mismatches[0]?.detail}); it was not ${action === 'promote' ? 'promoted' : 'made challenger'}`,
    })
}
