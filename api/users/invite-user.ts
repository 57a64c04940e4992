import { inviteUser as saveInvitation } from '../../db/accounts/user-accounts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { InvitationLink, NewUser } from './user-schemas.ts'

export const inviteUser = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/users/v1',
    operationId: 'inviteUser',
    idempotency: 'idempotent',
    tag: 'Users',
    summary: 'Invites a user',
    description:
      'Returns the token of an invitation link by which the user sets a password within 7 days: send the link to the user. Only ' +
      'the hash of the token is stored. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    body: NewUser,
    response: {
      status: 200,
      description: 'The user is created; the token is returned only once',
      schema: InvitationLink,
    },
    problems: ['conflict'],
    async act({ caller: { subscriptionId }, actor, body }) {
      const invited = await saveInvitation(db, { subscriptionId, actor, ...body })
      if (!invited) throw new Problem('conflict', { detail: 'This e-mail is taken; use another one' })
      return invited
    },
  })
