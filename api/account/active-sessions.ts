import { z } from 'zod'
import { endUserSession, endUserSessions, listActiveSessions } from '../../db/accounts/sessions.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Timestamp } from '../http/timestamp.ts'
import { clearSessionCookies } from './session-cookies.ts'

const SessionId = z
  .string()
  .meta({ description: 'Id of the session', examples: ['3f1c9a52-7d0e-4b7b-8a43-2f6d0c1e9b10'] })

const OwnSession = z
  .object({
    id: SessionId,
    startedAt: Timestamp.meta({ description: 'When the user logged in; UTC' }),
    refreshedAt: Timestamp.meta({ description: 'When somebody last went on with it' }),
    address: z
      .string()
      .nullable()
      .meta({ description: 'Where it was started', examples: ['203.0.113.7'] }),
    userAgent: z
      .string()
      .nullable()
      .meta({
        description: 'As the browser or program named itself',
        examples: ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'],
      }),
    current: z.boolean().meta({ description: 'The session of this call' }),
  })
  .meta({ id: 'OwnSession' })

/** The sessions of whoever calls: see them, end one, end all. */
export const activeSessions = (db: Db) => [
  endpoint({
    method: 'get',
    path: '/api/account/v1/sessions',
    operationId: 'listSessions',
    tag: 'Account',
    summary: 'List the own sessions that go on',
    description: 'Newest first, 100 at most.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    response: {
      status: 200,
      description: 'The sessions',
      schema: z
        .object({ items: z.array(OwnSession).meta({ description: 'Newest first' }) })
        .meta({ id: 'OwnSessionList' }),
    },
    problems: [],
    async act({ caller: { subscriptionId, userId, sessionId } }) {
      const found = await listActiveSessions(db, subscriptionId, userId)
      return { items: found.map((session) => ({ ...session, current: session.id === sessionId })) }
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/account/v1/sessions/:id',
    operationId: 'endOwnSession',
    tag: 'Account',
    summary: 'End one of the own sessions',
    description: 'Its refresh token works no more, its login tokens for 5 s at most.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: { id: SessionId },
    response: { status: 204, description: 'The session is over, or there was none of yours' },
    problems: [],
    async act({ caller: { subscriptionId, userId }, params: { id } }) {
      const known = z.uuid().safeParse(id)
      if (known.success) await endUserSession(db, { subscriptionId, userId, id: known.data })
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/account/v1/sessions',
    operationId: 'endSessions',
    tag: 'Account',
    summary: 'Sign out everywhere',
    description: 'Ends all own sessions, with the one of this call.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    response: { status: 204, description: 'All sessions are over' },
    problems: [],
    async act({ caller: { subscriptionId, userId }, cookies }) {
      await endUserSessions(db, { subscriptionId, userId })
      clearSessionCookies(cookies)
    },
  }),
]
