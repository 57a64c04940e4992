import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { type FindAddresses, networkOf } from '../http/addresses.ts'
import { Problem } from '../http/problem.ts'

const USER = 'operator'

/** Wrong passwords from an address in the window, after which it has to wait; of each process. */
const MAX_FAILURES = 10
const WINDOW_SECONDS = 15 * 60

/**
 * Lets operators in by HTTP's own log-in: user `operator` and this password.
 *
 * @returns whether the caller is let in; if not, the answer asks for the password.
 * @throws Problem `rate_limited` after too many wrong ones.
 */
export type AuthenticateOperator = (ctx: Context) => Promise<boolean>

export function openOperatorAuthentication(
  password: string,
  findAddresses: FindAddresses,
): AuthenticateOperator {
  const expected = sha256(`Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`)
  const failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: WINDOW_SECONDS })
  return async (ctx) => {
    const network = networkOf(findAddresses(ctx.req).address)
    const before = await failures.get(network)
    if (before && before.consumedPoints >= MAX_FAILURES)
      throw new Problem('rate_limited', { retryAfterSeconds: Math.ceil(before.msBeforeNext / 1_000) })
    const sent = ctx.get('authorization')
    if (timingSafeEqual(sha256(sent), expected)) return true
    if (sent !== '') await failures.consume(network).catch(() => undefined)
    ctx.status = 401
    ctx.set('WWW-Authenticate', 'Basic realm="Inkling operators", charset="UTF-8"')
    ctx.body = `These pages are for operators: log in as ${USER} with the password in OPS_PASSWORD.\n`
    return false
  }
}

/** Of one size, so that comparing tells nothing of what was sent. */
const sha256 = (text: string) => createHash('sha256').update(text).digest()
