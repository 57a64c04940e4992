import { readProblem } from './api-problem.ts'
import { fetchInTime } from './fetch-in-time.ts'
import { PORTAL_HEADER } from './portal-header.ts'
import {
  beginExchange,
  endExchange,
  forgetToken,
  keepTokenSeconds,
  readExchangeAge,
  readTokenUntil,
} from './token-time.ts'

/** A token is exchanged so long before its end, or when half of it is over. */
const EARLY_MS = 60_000

const PATH = '/api/account/v1/session'

/** What a page that is left in the middle of an exchange leaves behind is settled by then. */
const LEFT_BEHIND_MS = 15_000

/** Shorter than that, so that an exchange without an answer is treated as one that a page left behind. */
const EXCHANGE_MS = 12_000

const LOOKS = 10
const LOOK_EVERY_MS = 500

/** Browsers give locks to pages by https and of this machine, which are those whose cookies they keep, too. */
const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? navigator.locks.request('inkling.session', work) : work()

/**
 * Exchanges the tokens for the next ones, one tab at a time: a refresh token that is used twice ends the session, so a tab
 * that waited for another one takes what that one got.
 *
 * @returns whether the session goes on.
 * @throws ApiProblem when the service cannot say so at the moment, or cannot be reached.
 */
export async function goOn(): Promise<boolean> {
  const before = readTokenUntil()
  return inTurn(async () => {
    const now = readTokenUntil()
    if (now === undefined) return false // another tab logged out
    if (now !== before && now > Date.now()) return true
    if (await takeLeftBehind(now)) return true
    beginExchange()
    // goes on when this page is left: else the service would have new tokens out, and this browser the used one
    const response = await fetchInTime(`${PATH}/refresh`, {
      timeoutMs: EXCHANGE_MS,
      method: 'POST',
      headers: PORTAL_HEADER,
      keepalive: true,
    })
    endExchange()
    if (response.ok) {
      const { tokenSeconds }: { tokenSeconds: number } = await response.json()
      keepTokenSeconds(tokenSeconds)
      return true
    }
    if (response.status !== 401) throw await readProblem(response)
    forgetToken()
    return false
  })
}

/**
 * Takes what came of an exchange whose page was left before the answer: asking again with the token that it used would end
 * the session.
 */
async function takeLeftBehind(until: number): Promise<boolean> {
  if ((readExchangeAge() ?? LEFT_BEHIND_MS) >= LEFT_BEHIND_MS) return false
  for (let look = 0; look < LOOKS; look++) {
    const response = await fetchInTime(PATH, { timeoutMs: EXCHANGE_MS, headers: PORTAL_HEADER })
    const { tokenSeconds }: { tokenSeconds?: number } = response.ok ? await response.json() : {}
    if (tokenSeconds !== undefined && Date.now() + tokenSeconds * 1_000 > until + LOOK_EVERY_MS) {
      keepTokenSeconds(tokenSeconds)
      endExchange()
      return true
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  return false
}

/** Milliseconds until the token had better be exchanged; undefined while nobody is logged in. */
export function msUntilDue(): number | undefined {
  const until = readTokenUntil()
  if (until === undefined) return undefined
  const leftMs = until - Date.now()
  return Math.max(0, leftMs - Math.min(EARLY_MS, leftMs / 2))
}

const listeners = new Set<() => void>()

/** Calls back when the API says that the session is over. */
export function onSessionOver(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const isOver = async (response: Response) =>
  response.status === 401 && (await readProblem(response.clone())).title === 'unauthenticated'

/**
 * As `fetchInTime`, in the session of this browser: gets the next token first where this one is over, as after the computer slept,
 * and tells who listens when there is no session any more.
 */
export async function fetchInSession(request: Request): Promise<Response> {
  const until = readTokenUntil()
  if (until !== undefined && until <= Date.now()) await goOn()
  const again = request.clone()
  const response = await fetchInTime(request)
  if (!(await isOver(response))) return response
  if (readTokenUntil() !== undefined && (await goOn())) return fetchInTime(again)
  for (const listener of listeners) listener()
  return response
}
