import { z } from 'zod'
import type { AuditAction } from '../../db/audit/audit-actions.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import type { Db } from '../../db/postgres/database.ts'
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
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { requireCode } from './path-params.ts'
import { presentChange, StageChangeResponse } from './scorecard-responses.ts'
import { Code, StageAction, Version } from './scorecard-schemas.ts'

const TRANSITIONS = {
  challenge: challengeScorecard,
  promote: promoteScorecard,
  retire: retireScorecard,
} as const satisfies Record<z.output<typeof StageAction>, unknown>

export const stageChange = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/scorecards/v1/:code/stage',
    operationId: 'changeScorecardStage',
    tag: 'Scorecards',
    summary: 'Challenge with a version, promote it, or retire it',
    description:
      'From the next group of datasets on: `challenge` has it score in shadow, and the challenger before is a draft again; ' +
      '`promote` makes it champion, whose scores are told, and retires the one before; `retire` has it score no more. Only a ' +
      'version is promoted whose last trial is done and found every verification row as it should be; a definition without ' +
      'such rows is promoted unverified. Scores that were computed stay as they are.',
    credential: { kind: 'login', roles: ['admin'] },
    params: { code: Code },
    body: z.object({ version: Version, action: StageAction }).meta({ id: 'StageRequest' }),
    response: { status: 200, description: 'What changed', schema: StageChangeResponse },
    problems: ['not_found', 'conflict'],
    async act({ caller: { subscriptionId, email }, params, body: { version, action } }) {
      const place = { subscriptionId, code: requireCode(params), version }
      return change(db, { ...place, actor: email, action: `scorecard.${action}` }, async (trx) => {
        if (!(await hasVersion(trx, place))) throw new Problem('not_found')
        if (action === 'promote') await requireVerified(trx, place)
        return TRANSITIONS[action](trx, place)
      })
    },
  })

export const rollback = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/scorecards/v1/:code/rollback',
    operationId: 'rollBackScorecard',
    tag: 'Scorecards',
    summary: 'Bring the champion before back',
    description:
      'The champion is retired, and the one that it replaced scores from the next group of datasets on.',
    credential: { kind: 'login', roles: ['admin'] },
    params: { code: Code },
    response: { status: 200, description: 'What changed', schema: StageChangeResponse },
    problems: ['not_found', 'conflict'],
    async act({ caller: { subscriptionId, email }, params }) {
      const place = { subscriptionId, code: requireCode(params) }
      return change(db, { ...place, actor: email, action: 'scorecard.rollback' }, (trx) =>
        rollBackScorecard(trx, place),
      )
    },
  })

interface Change {
  readonly subscriptionId: number
  readonly code: string
  readonly actor: string
  readonly action: AuditAction
}

/** Changes stages and records it, both or neither. */
async function change(
  db: Db,
  { subscriptionId, code, actor, action }: Change,
  make: (trx: Db) => Promise<StageChange>,
) {
  return db.transaction(async (trx) => {
    const changed = await make(trx).catch((error: unknown) => {
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
): Promise<void> {
  const verification = await findVerification(trx, subscriptionId, code, version)
  if (!verification)
    throw new Problem('conflict', {
      detail: 'No trial of this version under this code is done yet; have it tried before it is promoted',
    })
  const { rows, matched, mismatches } = verification
  if (matched < rows)
    throw new Problem('conflict', {
      detail: `${rows - matched} of the ${rows} verification rows of this version come out otherwise (row ${mismatches[0]?.row}: ${mismatches[0]?.detail}); it is not promoted`,
    })
}
