import type { Cookies } from '../http/endpoint.ts'

/** Holds the login token. The prefix makes browsers keep it for this host alone, whatever a subdomain sets. */
export const TOKEN_COOKIE = '__Host-inkling-token'

/** Holds the refresh token; sent to the routes of the session only, which `__Host-` does not allow. */
export const REFRESH_COOKIE = '__Secure-inkling-refresh'

const REFRESH_PATH = '/api/account/v1/session'

/** How long a browser's session lasts, in whole seconds. */
export interface BrowserTimes {
  /** A login token. Shorter than a program's, since the browser gets the next one by itself. */
  readonly tokenSeconds: number
  /** Without a sign of its user, after which the portal logs out. */
  readonly idleSeconds: number
}

export const BROWSER_TIMES: BrowserTimes = { tokenSeconds: 10 * 60, idleSeconds: 30 * 60 }

/** For how long a browser that is away can come back: its last sign may have been right before its token ended. */
export const refreshSeconds = ({ tokenSeconds, idleSeconds }: BrowserTimes): number =>
  tokenSeconds + idleSeconds

/** Gives the browser the tokens of its session. */
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

/** Takes the tokens from the browser. */
export function clearSessionCookies(cookies: Cookies): void {
  cookies.set({ name: TOKEN_COOKIE, value: '', path: '/', maxAgeSeconds: 0 })
  cookies.set({ name: REFRESH_COOKIE, value: '', path: REFRESH_PATH, maxAgeSeconds: 0 })
}
