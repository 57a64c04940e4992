import { changeUser as saveChange } from '../../db/accounts/user-accounts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam, requireId } from '../http/id-param.ts'
import { Problem } from '../http/problem.ts'
import { LAST_ADMIN } from './last-admin.ts'
import { UserChange, UserItem } from './user-schemas.ts'

export const changeUser = (db: Db) =>
  endpoint({
    method: 'patch',
    path: '/api/users/v1/:id',
    operationId: 'changeUser',
    idempotency: 'idempotent',
    tag: 'Users',
    summary: 'Changes the role of a user, or disables or enables the user',
    description:
      'Disabling a user ends all their sessions within 5 s. If the user created keys that are live, state in `keys` what becomes of ' +
      'them. Links to set a password that an admin issued end when the admin is disabled or demoted. Users cannot disable themselves, and the last active admin cannot be ' +
      'disabled or demoted. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    params: { id: idParam('user', '42') },
    body: UserChange,
    response: { status: 200, description: 'The changed user', schema: UserItem },
    problems: ['not_found', 'conflict', 'key_decision_required'],
    async act({ caller: { subscriptionId, userId }, actor, params, body }) {
      const id = requireId(params.id)
      if (id === userId && body.disabled)
        throw new Problem('conflict', { detail: 'You cannot disable yourself; ask another admin' })
      const changed = await saveChange(db, { subscriptionId, id, actor, ...body })
      if (changed === 'last_admin') throw new Problem('conflict', { detail: LAST_ADMIN })
      if (!changed) throw new Problem('not_found')
      if ('undecided' in changed)
        throw new Problem('key_decision_required', { members: { keys: changed.undecided } })
      return changed
    },
  })
