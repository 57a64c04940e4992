import { z } from 'zod'
import type { Db } from '../../db/postgres/database.ts'
import { findTrial, listTrials } from '../../db/scorecards/scorecard-trials.ts'
import { hasVersion } from '../../db/scorecards/scorecards.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { NextCursor } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import { requireCode, requireTrialId } from './path-params.ts'
import { presentTrial, Trial } from './scorecard-responses.ts'
import { Captures, Code, Version } from './scorecard-schemas.ts'
import { startTrial } from './start-trial.ts'

const CODE = { code: Code }

const TrialList = z
  .object({ items: z.array(Trial).meta({ description: 'Trials, newest first' }), next: NextCursor })
  .meta({ id: 'ScorecardTrialList' })

export const trialList = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/scorecards/v1/:code/trials',
    operationId: 'listScorecardTrials',
    tag: 'Scorecards',
    summary: 'Lists the latest trials of a version',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: CODE,
    query: z.object({ version: Version }),
    response: { status: 200, description: 'Up to ten trials, newest first', schema: TrialList },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, params, query: { version } }) {
      const trials = await listTrials(db, subscriptionId, requireCode(params), version)
      return { items: trials.map(presentTrial), next: null }
    },
  })

export const trialOf = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/scorecards/v1/:code/trials/:id',
    operationId: 'readScorecardTrial',
    tag: 'Scorecards',
    summary: 'Returns the progress and result of a trial',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: { ...CODE, id: idParam('trial', '17') },
    response: { status: 200, description: 'The trial', schema: Trial },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, params }) {
      const trial = await findTrial(db, subscriptionId, requireCode(params), requireTrialId(params))
      if (!trial) throw new Problem('not_found')
      return presentTrial(trial)
    },
  })

export const newTrial = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/scorecards/v1/:code/trials',
    operationId: 'tryScorecard',
    idempotency: 'not_idempotent',
    tag: 'Scorecards',
    summary: 'Starts a trial of a version',
    description:
      'A worker verifies the verification rows of the definition and scores the latest stored captures to compare it with the ' +
      'current champion. Captures are not decoded or counted again, and existing scores do not change.',
    credential: { kind: 'login', roles: ['admin'] },
    params: CODE,
    body: z.object({ version: Version, captures: Captures }).meta({ id: 'TrialRequest' }),
    response: { status: 200, description: 'The trial, waiting for a worker', schema: Trial },
    problems: ['not_found', 'conflict'],
    async act({ caller: { subscriptionId, email }, params, body: { version, captures } }) {
      const place = { subscriptionId, code: requireCode(params), version }
      if (!(await hasVersion(db, place))) throw new Problem('not_found')
      return startTrial(db, { ...place, askedBy: email, captures })
    },
  })
