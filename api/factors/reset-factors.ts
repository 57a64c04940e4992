import type { Db } from '../../db/postgres/database.ts'
import { resetFactors as reset } from '../../db/sign-in/factors.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam, requireId } from '../http/id-param.ts'
import { Problem } from '../http/problem.ts'

export const resetFactors = (db: Db) =>
  endpoint({
    method: 'delete',
    path: '/api/users/v1/:id/factors',
    operationId: 'resetFactors',
    tag: 'Users',
    summary: 'Removes all second factors of a user',
    description:
      'For a user who lost them: their password alone signs in again. Also removes the recovery codes and ends the sessions of the ' +
      'user. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    params: { id: idParam('user', '42') },
    response: { status: 204, description: 'The user has no factor' },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, actor, params }) {
      const userId = requireId(params.id)
      if (!(await reset(db, { subscriptionId, userId, actor }))) throw new Problem('not_found')
    },
  })
