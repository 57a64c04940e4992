import { z } from 'zod'
import { recordAudit } from '../../db/audit/audit-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import { draftScorecard } from '../../db/scorecards/scorecard-stages.ts'
import { saveVersion } from '../../db/scorecards/scorecards.ts'
import { openAdmission } from '../http/admission.ts'
import { endpoint } from '../http/endpoint.ts'
import { JUDGING_MS, type JudgeDefinition } from './judge-definition.ts'
import { parseCode } from './path-params.ts'
import { Definition } from './scorecard-definition.ts'
import { Trial } from './scorecard-responses.ts'
import { Captures, Code } from './scorecard-schemas.ts'
import { startTrial } from './start-trial.ts'

/** A forest of 500 trees of depth 8 has 7 MB, one of depth 7 has 4 MB. */
const MAX_BYTES = 8 * 1024 * 1024

/** Bodies that are read or wait to be judged, of all subscriptions. */
const BOUNDS = { requests: 6, bytes: 3 * MAX_BYTES }

export const scorecardDraft = (db: Db, judge: JudgeDefinition) =>
  endpoint({
    method: 'post',
    path: '/api/scorecards/v1/:code/versions',
    operationId: 'draftScorecard',
    idempotency: 'not_idempotent',
    tag: 'Scorecards',
    summary: 'Saves a definition as a draft and starts a trial',
    description:
      'Rejects an invalid definition with every error and its path, such as `definition.model.characteristics.0.attributes`. ' +
      'Stores a valid one under its version without deploying it, and starts a trial: a worker verifies its verification rows and ' +
      'scores the latest stored captures to compare it with the champion. An existing version keeps its stage and gets a new trial.',
    credential: { kind: 'login', roles: ['admin'] },
    params: { code: Code },
    body: z.object({ definition: Definition, captures: Captures }).meta({ id: 'DraftRequest' }),
    isUnparsed: true,
    maxBodyBytes: MAX_BYTES,
    admission: openAdmission(BOUNDS),
    waitMs: JUDGING_MS,
    response: { status: 200, description: 'The trial, waiting for a worker', schema: Trial },
    problems: ['conflict', 'overloaded'],
    async act({ caller: { subscriptionId, email }, actor, params, bytes }) {
      const code = parseCode(params)
      const { captures, ...judged } = await judge(bytes)
      const { version } = judged
      return db.transaction(async (trx) => {
        await saveVersion(trx, { subscriptionId, ...judged, author: actor })
        await draftScorecard(trx, { subscriptionId, code, version })
        await recordAudit(trx, {
          ...{ subscriptionId, actor, action: 'scorecard.draft', subject: code },
          detail: { version, replaced: null },
        })
        return startTrial(trx, { subscriptionId, code, version, askedBy: email, captures })
      })
    },
  })
