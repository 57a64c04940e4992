import { renewInvitation as saveInvitation } from '../../db/accounts/user-accounts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam, requireId } from '../http/id-param.ts'
import { Problem } from '../http/problem.ts'
import { InvitationLink } from './user-schemas.ts'

export const renewInvitation = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/users/v1/:id/invitation',
    operationId: 'renewInvitation',
    idempotency: 'not_idempotent',
    tag: 'Users',
    summary: 'Creates a new invitation link for a user',
    description:
      'Also resets a forgotten password. The previous link stops working; the password works until a new one is set. Recorded in ' +
      'the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    params: { id: idParam('user', '42') },
    response: { status: 200, description: 'The token, returned only once', schema: InvitationLink },
    problems: ['not_found', 'conflict'],
    async act({ caller: { subscriptionId }, actor, params }) {
      const id = requireId(params.id)
      const renewed = await saveInvitation(db, { subscriptionId, id, actor })
      if (renewed === 'disabled')
        throw new Problem('conflict', { detail: 'The user is disabled; enable them first' })
      if (!renewed) throw new Problem('not_found')
      return renewed
    },
  })
