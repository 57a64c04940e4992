import { z } from 'zod'
import { endSession, rotateRefreshToken, startSession } from '../../db/accounts/sessions.ts'
import { findSubscriptionName } from '../../db/accounts/subscriptions.ts'
import type { UserRole as Role } from '../../db/accounts/users.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { UserRole } from '../users/user-schemas.ts'
import { ACCOUNT_BODY_BYTES, LoginRequest } from './account-schemas.ts'
import { type CheckLogin, SUSPENDED_STATUS } from './check-login.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import {
  type BrowserTimes,
  clearSessionCookies,
  REFRESH_COOKIE,
  refreshSeconds,
  setSessionCookies,
  TOKEN_COOKIE,
} from './session-cookies.ts'
import type { Tokens } from './tokens.ts'

const Session = z
  .object({
    userId: z.int().meta({ description: 'Id of the user', examples: [42] }),
    sessionId: z
      .string()
      .meta({ description: 'Id of the session', examples: ['3f1c9a52-7d0e-4b7b-8a43-2f6d0c1e9b10'] }),
    email: z.string().meta({ description: 'E-mail of the user', examples: ['analyst@lender.example'] }),
    role: UserRole,
    subscription: z.string().meta({ description: 'Name of the subscription', examples: ['Acme Lending'] }),
    tokenSeconds: z
      .int()
      .meta({ description: 'Seconds until the token expires; refresh it before then', examples: [600] }),
    idleSeconds: z.int().meta({
      description: 'Idle timeout: seconds without user activity after which the portal signs out',
      examples: [1_800],
    }),
  })
  .meta({ id: 'Session' })

/** Identity in the token of a session. */
interface SessionIdentity {
  readonly subscriptionId: number
  readonly userId: number
  readonly sessionId: string
  readonly email: string
  readonly role: Role
}

/** Dependencies of the browser session endpoints. */
interface SessionDependencies {
  readonly db: Db
  readonly tokens: Tokens
  readonly times: BrowserTimes
  readonly checkLogin: CheckLogin
  readonly limitConcurrency: ConcurrencyLimit
}

const COOKIES =
  'For browsers: the tokens are cookies that scripts cannot read (HttpOnly, Secure, SameSite=Strict). Send X-Inkling-Portal: 1 with ' +
  'every request; requests from other sites are rejected.'

const SET_COOKIE = {
  'Set-Cookie': z.string().meta({
    description: 'One cookie per token: HttpOnly, Secure and SameSite=Strict',
    examples: [`${TOKEN_COOKIE}=…; Path=/; HttpOnly; Secure; SameSite=Strict`],
  }),
}

/** Endpoints that start, show, refresh and end a browser session. */
export function browserSession({ db, tokens, times, checkLogin, limitConcurrency }: SessionDependencies) {
  async function present(identity: SessionIdentity, tokenExpiresAt: Date): Promise<z.output<typeof Session>> {
    const { subscriptionId, userId, sessionId, email, role } = identity
    const tokenSeconds = Math.max(0, Math.floor((tokenExpiresAt.getTime() - Date.now()) / 1_000))
    const subscription = await findSubscriptionName(db, subscriptionId)
    return { userId, sessionId, email, role, subscription, tokenSeconds, idleSeconds: times.idleSeconds }
  }

  const beginSession = endpoint({
    method: 'post',
    path: '/api/account/v1/session',
    operationId: 'beginSession',
    tag: 'Account',
    summary: 'Starts a browser session by e-mail and password',
    description: COOKIES,
    credential: { kind: 'none' },
    body: LoginRequest,
    maxBodyBytes: ACCOUNT_BODY_BYTES,
    response: {
      status: 200,
      description: 'Signed in; the cookies are set',
      schema: Session,
      headers: SET_COOKIE,
    },
    problems: ['forbidden', 'invalid_credentials', 'subscription_suspended', 'rate_limited', 'overloaded'],
    statuses: { subscription_suspended: SUSPENDED_STATUS },
    async act({ body, address, userAgent, cookies }) {
      cookies.requirePortal() // otherwise another site could sign a visitor in as a different user
      const { id: userId, subscriptionId, email, role } = await checkLogin(body, address)
      const { sessionId, refreshToken } = await startSession(db, {
        subscriptionId,
        userId,
        address,
        userAgent,
        refreshSeconds: refreshSeconds(times),
      })
      const identity = { subscriptionId, userId, sessionId, email, role }
      const { token, expiresAt } = await tokens.issue(identity, times.tokenSeconds)
      setSessionCookies(cookies, token, refreshToken, times)
      return present(identity, expiresAt)
    },
  })

  const showSession = endpoint({
    method: 'get',
    path: '/api/account/v1/session',
    operationId: 'showSession',
    tag: 'Account',
    summary: 'Returns the current session',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    response: { status: 200, description: 'The session of the token', schema: Session },
    problems: [],
    act: ({ caller }) => present(caller, caller.tokenExpiresAt),
  })

  const refreshSession = endpoint({
    method: 'post',
    path: '/api/account/v1/session/refresh',
    operationId: 'refreshSession',
    tag: 'Account',
    summary: 'Refreshes a browser session',
    description: `${COOKIES}\n\nThe refresh token works once. Using one twice ends the session.`,
    credential: { kind: 'none' },
    response: {
      status: 200,
      description: 'The session is refreshed; both cookies are replaced',
      schema: Session,
      headers: SET_COOKIE,
    },
    problems: ['forbidden', 'invalid_credentials', 'overloaded'],
    async act({ cookies }) {
      cookies.requirePortal()
      const presented = cookies.find(REFRESH_COOKIE)
      const rotated =
        presented && (await limitConcurrency(() => rotateRefreshToken(db, presented, 'browser')))
      if (!rotated) {
        clearSessionCookies(cookies)
        throw new Problem('invalid_credentials', { detail: 'The session has ended; sign in again' })
      }
      const { token, expiresAt } = await tokens.issue(rotated.user, times.tokenSeconds)
      setSessionCookies(cookies, token, rotated.refreshToken, times)
      return present(rotated.user, expiresAt)
    },
  })

  const endBrowserSession = endpoint({
    method: 'delete',
    path: '/api/account/v1/session',
    operationId: 'endSession',
    tag: 'Account',
    summary: 'Ends a browser session',
    description: `${COOKIES}\n\nWorks until the refresh cookie expires, even if the login token has expired.`,
    credential: { kind: 'none' },
    response: {
      status: 204,
      description: 'The session has ended or there was none; the cookies are removed',
    },
    problems: ['forbidden', 'overloaded'],
    async act({ cookies }) {
      cookies.requirePortal()
      clearSessionCookies(cookies)
      const presented = cookies.find(REFRESH_COOKIE)
      if (presented) await limitConcurrency(() => endSession(db, presented))
    },
  })

  return [beginSession, showSession, refreshSession, endBrowserSession]
}
