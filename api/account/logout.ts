import type { Db } from '../../db/database.ts'
import { endSession } from '../../db/sessions.ts'
import { endpoint } from '../http/endpoint.ts'
import { RefreshRequest } from './refresh.ts'

export const logout = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/account/v1/logout',
    operationId: 'logout',
    tag: 'Account',
    summary: 'End a session',
    description:
      'Revokes the refresh token, all that came before it, and within 5 s the login tokens of the session.',
    credential: { kind: 'none' },
    body: RefreshRequest,
    answer: { status: 204, description: 'The session is over, or there was none' },
    problems: [],
    async act({ body }) {
      await endSession(db, body.refresh_token)
    },
  })
