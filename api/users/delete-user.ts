import { z } from 'zod'
import { deleteUser as remove } from '../../db/accounts/delete-user.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam, requireId } from '../http/id-param.ts'
import { Problem } from '../http/problem.ts'
import { LAST_ADMIN } from './last-admin.ts'
import { KeyDecision } from './user-schemas.ts'

export const deleteUser = (db: Db) =>
  endpoint({
    method: 'delete',
    path: '/api/users/v1/:id',
    operationId: 'deleteUser',
    tag: 'Users',
    summary: 'Deletes a user',
    description:
      'Permanent: ends all sessions of the user within 5 s, and the links to set a password that they issued. The e-mail becomes ' +
      'available again; records of the past keep it. If the user created keys that are live, state in `keys` what becomes of them. ' +
      'Users cannot delete themselves, and the last active admin cannot be deleted. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    params: { id: idParam('user', '42') },
    query: z.object({ keys: KeyDecision }),
    response: { status: 204, description: 'The user is deleted' },
    problems: ['not_found', 'conflict', 'key_decision_required'],
    async act({ caller: { subscriptionId, userId }, actor, params, query: { keys } }) {
      const id = requireId(params.id)
      if (id === userId)
        throw new Problem('conflict', { detail: 'You cannot delete yourself; ask another admin' })
      const deleted = await remove(db, { subscriptionId, id, actor, keys, evenLastAdmin: false })
      if (deleted === 'last_admin') throw new Problem('conflict', { detail: LAST_ADMIN })
      if (!deleted) throw new Problem('not_found')
      if (deleted !== 'deleted')
        throw new Problem('key_decision_required', { members: { keys: deleted.undecided } })
    },
  })
