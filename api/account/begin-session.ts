import type { z } from 'zod'
import { endSession, type SessionMethod, startSession } from '../../db/accounts/sessions.ts'
import type { User } from '../../db/accounts/users.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Trail } from '../audit/trail.ts'
import type { Cookies } from '../http/endpoint.ts'
import { type LoginResponse, presentLogin } from './login-response.ts'
import { type BrowserTimes, REFRESH_COOKIE, refreshSeconds, setSessionCookies } from './session-cookies.ts'
import { presentSession, type Session } from './session-response.ts'
import type { Tokens } from './tokens.ts'

/** How and from where a user signed in. */
interface Origin {
  readonly method: SessionMethod
  readonly address: string | undefined
  readonly userAgent: string | undefined
}

/** Starts sessions of users whose sign-in is complete, in whichever way they signed in. */
export interface BeginSession {
  /** Starts a program's session. @returns its tokens. */
  withTokens(user: User, origin: Origin): Promise<z.output<typeof LoginResponse>>
  /** Starts a browser session, sets its cookies, and ends the session whose cookie the browser has. */
  withCookies(user: User, origin: Origin, cookies: Cookies): Promise<z.output<typeof Session>>
}

export function openBeginSession(
  db: Db,
  { tokens, times, trail }: { tokens: Tokens; times: BrowserTimes; trail: Trail },
): BeginSession {
  const note = ({ id, subscriptionId, email: name }: User, { method, address }: Origin, sessionId: string) =>
    trail.note({
      ...{ subscriptionId, action: 'session.login', subject: sessionId },
      actor: { kind: 'user', id, name, address },
      detail: { method },
    })
  return {
    async withTokens(user, origin) {
      const { id: userId, subscriptionId } = user
      const { method, address, userAgent } = origin
      const { sessionId, refreshToken } = await startSession(db, {
        subscriptionId,
        userId,
        method,
        address,
        userAgent,
      })
      note(user, origin, sessionId)
      return presentLogin(await tokens.issue({ subscriptionId, userId, sessionId }), refreshToken)
    },
    async withCookies(user, origin, cookies) {
      const { id: userId, subscriptionId, email, role } = user
      const { method, address, userAgent } = origin
      const before = cookies.find(REFRESH_COOKIE)
      if (before !== undefined) await endSession(db, before, address)
      const { sessionId, refreshToken } = await startSession(db, {
        subscriptionId,
        userId,
        method,
        address,
        userAgent,
        refreshSeconds: refreshSeconds(times),
      })
      note(user, origin, sessionId)
      const identity = { subscriptionId, userId, sessionId, email, role }
      const { token, expiresAt } = await tokens.issue(identity, times.tokenSeconds)
      setSessionCookies(cookies, token, refreshToken, times)
      return presentSession(db, times, identity, expiresAt)
    },
  }
}
