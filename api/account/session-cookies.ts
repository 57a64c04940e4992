import type { Cookies } from '../http/endpoint.ts'

/** Holds the login token. The `__Host-` prefix restricts it to this host, whatever a subdomain sets. */
export const TOKEN_COOKIE = '__Host-inkling-token'

/** Holds the refresh token. Restricted to the session's path, which `__Host-` does not allow. */
export const REFRESH_COOKIE = '__Secure-inkling-refresh'

const REFRESH_PATH = '/api/account/v1/session'

/** Lifetimes of a browser session, in whole seconds. */
export interface BrowserTimes {
  /** Lifetime of a login token; shorter than a program's, since the browser refreshes it automatically. */
  readonly tokenSeconds: number
  /** Idle timeout after which the portal signs out. */
  readonly idleSeconds: number
}

export const BROWSER_TIMES: BrowserTimes = { tokenSeconds: 10 * 60, idleSeconds: 30 * 60 }

/** Lifetime of a refresh token: the last user activity may have been just before the login token expired. */
export const refreshSeconds = ({ tokenSeconds, idleSeconds }: BrowserTimes): number =>
  tokenSeconds + idleSeconds

/** Sets the tokens of the session as cookies. */
export function setSessionCookies(
  cookies: Cookies,
  token: string,
  refreshToken: string,
  times: BrowserTimes,
): void {
  cookies.set({ name: TOKEN_COOKIE, value: token, path: '/', maxAgeSeconds: times.tokenSeconds })
  cookies.set({
    name: REFRESH_COOKIE,
    value: refreshToken,
    path: REFRESH_PATH,
    maxAgeSeconds: refreshSeconds(times),
  })
}

/** Removes the tokens from the browser. */
export function clearSessionCookies(cookies: Cookies): void {
  cookies.set({ name: TOKEN_COOKIE, value: '', path: '/', maxAgeSeconds: 0 })
  cookies.set({ name: REFRESH_COOKIE, value: '', path: REFRESH_PATH, maxAgeSeconds: 0 })
}
