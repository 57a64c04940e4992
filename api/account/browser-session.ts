import { endSession, rotateRefreshToken } from '../../db/accounts/sessions.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { ACCOUNT_BODY_BYTES, LoginRequest } from './account-schemas.ts'
import type { BeginSession } from './begin-session.ts'
import type { CheckLogin } from './check-login.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import {
  type BrowserTimes,
  clearSessionCookies,
  REFRESH_COOKIE,
  setSessionCookies,
} from './session-cookies.ts'
import { COOKIES, presentSession, SET_COOKIE, Session, type SessionIdentity } from './session-response.ts'
import { SUSPENDED_STATUS } from './sign-in.ts'
import type { Tokens } from './tokens.ts'

/** Dependencies of the browser session endpoints. */
interface SessionDependencies {
  readonly db: Db
  readonly tokens: Tokens
  readonly times: BrowserTimes
  readonly checkLogin: CheckLogin
  readonly beginSession: BeginSession
  readonly limitConcurrency: ConcurrencyLimit
}

/** Endpoints that start, show, refresh and end a browser session. */
export function browserSession({
  db,
  tokens,
  times,
  checkLogin,
  beginSession,
  limitConcurrency,
}: SessionDependencies) {
  const present = (identity: SessionIdentity, tokenExpiresAt: Date) =>
    presentSession(db, times, identity, tokenExpiresAt)

  const signIn = endpoint({
    method: 'post',
    path: '/api/account/v1/session',
    operationId: 'beginSession',
    idempotency: 'not_idempotent',
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
    problems: [
      'forbidden',
      'invalid_credentials',
      'subscription_suspended',
      'subscription_required',
      'sso_required',
      'second_factor_required',
      'rate_limited',
      'overloaded',
    ],
    statuses: { subscription_suspended: SUSPENDED_STATUS },
    async act({ body, header, address, userAgent, cookies }) {
      cookies.requirePortal() // otherwise another site could sign a visitor in as a different user
      const user = await checkLogin(body, { address, host: header('host') })
      return beginSession.withCookies(user, { method: 'password', address, userAgent }, cookies)
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
    idempotency: 'not_idempotent',
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
    async act({ cookies, address }) {
      cookies.requirePortal()
      const presented = cookies.find(REFRESH_COOKIE)
      const rotated =
        presented && (await limitConcurrency(() => rotateRefreshToken(db, presented, 'browser', address)))
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
    async act({ cookies, address }) {
      cookies.requirePortal()
      clearSessionCookies(cookies)
      const presented = cookies.find(REFRESH_COOKIE)
      if (presented) await limitConcurrency(() => endSession(db, presented, address))
    },
  })

  return [signIn, showSession, refreshSession, endBrowserSession]
}
