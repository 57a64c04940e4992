import { z } from 'zod'
import { recordAudit } from '../../db/audit/audit-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import { deployFragment, listFragments, removeFragment } from '../../db/scorecards/fragments.ts'
import { endpoint } from '../http/endpoint.ts'
import { NextCursor } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import { parseCode, requireCode } from '../scorecards/path-params.ts'
import { Code } from '../scorecards/scorecard-schemas.ts'
import { FragmentKind } from './fragment-schemas.ts'

const DeployedFragment = z.object({ code: Code, kind: FragmentKind }).meta({ id: 'DeployedFragment' })

const FragmentList = z
  .object({
    items: z.array(DeployedFragment).meta({ description: 'Fragments in the order of insights' }),
    next: NextCursor,
  })
  .meta({ id: 'FragmentList' })

const CODE = { code: Code }

const listOf = async (db: Db, subscriptionId: number) =>
  (await listFragments(db, [subscriptionId])).map(({ code, kind }) => ({ code, kind }))

export const fragmentList = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/fragments/v1',
    operationId: 'listFragments',
    tag: 'Scorecards',
    summary: 'Lists the deployed fragments',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    response: {
      status: 200,
      description: 'All deployed fragments, in the order of insights',
      schema: FragmentList,
    },
    problems: [],
    async act({ caller: { subscriptionId } }) {
      return { items: await listOf(db, subscriptionId), next: null }
    },
  })

export const fragmentOf = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/fragments/v1/:code',
    operationId: 'readFragment',
    tag: 'Scorecards',
    summary: 'Returns the fragment of a code',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: CODE,
    response: { status: 200, description: 'The fragment', schema: DeployedFragment },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, params }) {
      const found = (await listOf(db, subscriptionId)).find(({ code }) => code === params.code)
      if (!found) throw new Problem('not_found')
      return found
    },
  })

export const fragmentDeployment = (db: Db) =>
  endpoint({
    method: 'put',
    path: '/api/fragments/v1/:code',
    operationId: 'deployFragment',
    tag: 'Scorecards',
    summary: 'Deploys a fragment under a code',
    description:
      'Replaces the fragment of this code. Applies to new datasets only; existing insights do not change.',
    credential: { kind: 'login', roles: ['admin'] },
    params: CODE,
    body: z.object({ kind: FragmentKind }).meta({ id: 'FragmentRequest' }),
    response: { status: 200, description: 'The fragment', schema: DeployedFragment },
    problems: [],
    async act({ caller: { subscriptionId }, actor, params, body: { kind } }) {
      const code = parseCode(params)
      await db.transaction(async (trx) => {
        await deployFragment(trx, subscriptionId, code, kind)
        await recordAudit(trx, {
          ...{ subscriptionId, actor, action: 'fragment.deploy', subject: code },
          detail: { kind },
        })
      })
      return { code, kind }
    },
  })

export const fragmentRemoval = (db: Db) =>
  endpoint({
    method: 'delete',
    path: '/api/fragments/v1/:code',
    operationId: 'removeFragment',
    tag: 'Scorecards',
    summary: 'Removes the fragment of a code',
    description: 'Applies to new datasets only; existing insights keep the fragment.',
    credential: { kind: 'login', roles: ['admin'] },
    params: CODE,
    response: { status: 204, description: 'The fragment is removed' },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, actor, params }) {
      const code = requireCode(params)
      await db.transaction(async (trx) => {
        if (!(await removeFragment(trx, subscriptionId, code))) throw new Problem('not_found')
        await recordAudit(trx, { subscriptionId, actor, action: 'fragment.remove', subject: code })
      })
    },
  })
