import { readProblem } from './api-problem.ts'
import { fetchWithTimeout } from './fetch-with-timeout.ts'
import { PORTAL_HEADER } from './portal-header.ts'
import { stepUp } from './step-up.ts'
import {
  readRefreshAgeMs,
  readTokenExpiry,
  recordRefreshStart,
  removeRefreshStart,
  removeTokenExpiry,
  saveTokenExpiry,
} from './token-expiry.ts'

/** Time before its expiry at which a token is refreshed; half of its lifetime if that is shorter. */
const REFRESH_EARLY_MS = 60_000

const PATH = '/api/account/v1/session'

/** A refresh that another page started this long ago counts as failed. */
const INTERRUPTED_MS = 15_000

/** Shorter than `INTERRUPTED_MS`, so that a refresh without a response is handled as an interrupted one. */
const REFRESH_TIMEOUT_MS = 12_000

const POLLS = 10
const POLL_INTERVAL_MS = 500

/** Browsers offer locks, like secure cookies, only over HTTPS and on localhost. */
const withSessionLock = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? navigator.locks.request('inkling.session', work) : work()

/**
 * Refreshes the tokens, one tab at a time: a refresh token that is used twice ends the session, so a tab that waited for
 * another one uses the tokens of that one.
 *
 * @returns whether the session is still valid.
 * @throws ApiProblem when the service is unavailable.
 */
export async function refreshSession(): Promise<boolean> {
  const before = readTokenExpiry()
  return withSessionLock(async () => {
    const now = readTokenExpiry()
    if (now === undefined) return false // another tab signed out
    if (now !== before && now > Date.now()) return true
    if (await recoverInterruptedRefresh(now)) return true
    recordRefreshStart()
    // completes even if this page is closed; otherwise this browser would keep a used refresh token
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
 * Waits for the tokens of a refresh whose page was closed before the response: sending the same refresh token again would
 * end the session.
 */
async function recoverInterruptedRefresh(until: number): Promise<boolean> {
  if ((readRefreshAgeMs() ?? INTERRUPTED_MS) >= INTERRUPTED_MS) return false
  for (let poll = 0; poll < POLLS; poll++) {
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

/** Milliseconds until the token is due for a refresh; undefined while signed out. */
export function msUntilRefresh(): number | undefined {
  const until = readTokenExpiry()
  if (until === undefined) return undefined
  const leftMs = until - Date.now()
  return Math.max(0, leftMs - Math.min(REFRESH_EARLY_MS, leftMs / 2))
}

const listeners = new Set<() => void>()

/** Calls `listener` when the API reports that the session has ended. */
export function onSessionExpired(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Calls `fetchWithTimeout` in the session of this browser. Refreshes an expired token first, for example after the computer
 * slept, and notifies the listeners when the session has ended. Asks users to prove who they are where the service requires it,
 * and repeats the request then.
 */
export async function fetchInSession(request: Request): Promise<Response> {
  const until = readTokenExpiry()
  if (until !== undefined && until <= Date.now()) await refreshSession()
  const retry = request.clone()
  const response = await fetchWithTimeout(request)
  const problem = response.status === 401 ? await readProblem(response.clone()) : undefined
  if (problem?.title === 'step_up_required')
    return (await stepUp(problem.ways)) ? fetchWithTimeout(retry) : response
  if (problem?.title !== 'unauthenticated') return response
  if (readTokenExpiry() !== undefined && (await refreshSession())) return fetchInSession(retry)
  for (const listener of listeners) listener()
  return response
}
