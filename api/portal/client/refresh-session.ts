import { readProblem } from './api-problem.ts'
import { fetchWithTimeout } from './fetch-with-timeout.ts'
import { PORTAL_HEADER } from './portal-header.ts'
import {
  readRefreshAgeMs,
  readTokenExpiry,
  recordRefreshStart,
  removeRefreshStart,
  removeTokenExpiry,
  saveTokenExpiry,
} from './token-expiry.ts'

/** A token is exchanged so long before its end, or when half of it is over. */
const REFRESH_EARLY_MS = 60_000

const PATH = '/api/account/v1/session'

/** What a page that is left in the middle of an exchange leaves behind is settled by then. */
const INTERRUPTED_MS = 15_000

/** Shorter than that, so that an exchange without an answer is treated as one that a page left behind. */
const REFRESH_TIMEOUT_MS = 12_000

const POLLS = 10
const POLL_INTERVAL_MS = 500

/** Browsers give locks to pages by https and of this machine, which are those whose cookies they keep, too. */
const withSessionLock = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? navigator.locks.request('inkling.session', work) : work()

/**
 * Exchanges the tokens for the next ones, one tab at a time: a refresh token that is used twice ends the session, so a tab
 * that waited for another one takes what that one got.
 *
 * @returns whether the session goes on.
 * @throws ApiProblem when the service cannot say so at the moment, or cannot be reached.
 */
export async function refreshSession(): Promise<boolean> {
  const before = readTokenExpiry()
  return withSessionLock(async () => {
    const now = readTokenExpiry()
    if (now === undefined) return false // another tab logged out
    if (now !== before && now > Date.now()) return true
    if (await recoverInterruptedRefresh(now)) return true
    recordRefreshStart()
    // goes on when this page is left: else the service would have new tokens out, and this browser the used one
    const response = await fetchWithTimeout(`${PATH}/refresh`, {
      timeoutMs: REFRESH_TIMEOUT_MS,
      method: 'POST',
      headers: PORTAL_HEADER,
      keepalive: true,
    })
    removeRefreshStart()
    if (response.ok) {
      const { tokenSeconds }: { tokenSeconds: number } = await response.json()
      saveTokenExpiry(tokenSeconds)
      return true
    }
    if (response.status !== 401) throw await readProblem(response)
    removeTokenExpiry()
    return false
  })
}

/**
 * Takes what came of an exchange whose page was left before the answer: asking again with the token that it used would end
 * the session.
 */
async function recoverInterruptedRefresh(until: number): Promise<boolean> {
  if ((readRefreshAgeMs() ?? INTERRUPTED_MS) >= INTERRUPTED_MS) return false
  for (let look = 0; look < POLLS; look++) {
    const response = await fetchWithTimeout(PATH, { timeoutMs: REFRESH_TIMEOUT_MS, headers: PORTAL_HEADER })
    const { tokenSeconds }: { tokenSeconds?: number } = response.ok ? await response.json() : {}
    if (tokenSeconds !== undefined && Date.now() + tokenSeconds * 1_000 > until + POLL_INTERVAL_MS) {
      saveTokenExpiry(tokenSeconds)
      removeRefreshStart()
      return true
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))
  }
  return false
}

/** Milliseconds until the token had better be exchanged; undefined while nobody is logged in. */
export function msUntilRefresh(): number | undefined {
  const until = readTokenExpiry()
  if (until === undefined) return undefined
  const leftMs = until - Date.now()
  return Math.max(0, leftMs - Math.min(REFRESH_EARLY_MS, leftMs / 2))
}

const listeners = new Set<() => void>()

/** Calls back when the API says that the session is over. */
export function onSessionExpired(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const isUnauthenticated = async (response: Response) =>
  response.status === 401 && (await readProblem(response.clone())).title === 'unauthenticated'

/**
 * As `fetchInTime`, in the session of this browser: gets the next token first where this one is over, as after the computer slept,
 * and tells who listens when there is no session any more.
 */
export async function fetchInSession(request: Request): Promise<Response> {
  const until = readTokenExpiry()
  if (until !== undefined && until <= Date.now()) await refreshSession()
  const again = request.clone()
  const response = await fetchWithTimeout(request)
  if (!(await isUnauthenticated(response))) return response
  if (readTokenExpiry() !== undefined && (await refreshSession())) return fetchWithTimeout(again)
  for (const listener of listeners) listener()
  return response
}
