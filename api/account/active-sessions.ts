import { z } from 'zod'
import { endUserSession, endUserSessions, listActiveSessions } from '../../db/accounts/sessions.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
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
    refreshedAt: Timestamp.meta({ description: 'When the session was last refreshed; UTC' }),
    address: z
      .string()
      .nullable()
      .meta({ description: 'Client address at login', examples: ['203.0.113.7'] }),
    userAgent: z
      .string()
      .nullable()
      .meta({
        description: 'User agent of the browser or program',
        examples: ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'],
      }),
    current: z.boolean().meta({ description: 'Whether it is the session of this request' }),
  })
  .meta({ id: 'OwnSession' })

/** Endpoints that list and end the caller's sessions. */
export const activeSessions = (db: Db) => [
  endpoint({
    method: 'get',
    path: '/api/account/v1/sessions',
    operationId: 'listSessions',
    tag: 'Account',
    summary: 'Lists the active sessions of the user',
    description: 'Returns up to 100 sessions, newest first.',
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
    summary: 'Ends a session of the user',
    description: 'Revokes its refresh token at once, and its login tokens within 5 s.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    stepUp: 'without_factor',
    params: { id: SessionId },
    response: { status: 204, description: 'The session has ended or is not yours' },
    problems: [],
    async act({ caller: { subscriptionId, userId }, actor, params: { id } }) {
      const known = z.uuid().safeParse(id)
      if (!known.success) return
      await db.transaction(async (trx) => {
        if (await endUserSession(trx, { subscriptionId, userId, id: known.data }))
          await recordAudit(trx, { subscriptionId, actor, action: 'session.revoke', subject: known.data })
      })
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/account/v1/sessions',
    operationId: 'endSessions',
    tag: 'Account',
    summary: 'Ends all sessions of the user',
    description: 'Includes the current session.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    stepUp: 'without_factor',
    response: { status: 204, description: 'All sessions have ended' },
    problems: [],
    async act({ caller: { subscriptionId, userId }, actor, cookies }) {
      await db.transaction(async (trx) => {
        await endUserSessions(trx, { subscriptionId, userId })
        await recordAudit(trx, { subscriptionId, actor, action: 'session.revoke', detail: { all: true } })
      })
      clearSessionCookies(cookies)
    },
  }),
]
