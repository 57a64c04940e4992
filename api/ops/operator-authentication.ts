import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { SignInReason, Trail } from '../audit/trail.ts'
import { type FindAddresses, networkOf } from '../http/addresses.ts'
import { Problem } from '../http/problem.ts'

const USER = 'operator'

/** Wrong passwords per address, window and process, after which the address is blocked. */
const MAX_FAILURES = 10
const WINDOW_SECONDS = 15 * 60

/**
 * Authenticates operators by HTTP Basic authentication: user `operator` and this password.
 *
 * @returns whether the caller is authenticated; otherwise the response asks for the password.
 * @throws Problem `rate_limited` after too many wrong passwords.
 */
export type AuthenticateOperator = (ctx: Context) => Promise<boolean>

export function openOperatorAuthentication(
  password: string,
  findAddresses: FindAddresses,
  trail: Pick<Trail, 'noteOnceAMinute'>,
): AuthenticateOperator {
  const expected = sha256(`Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`)
  const failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: WINDOW_SECONDS })
  return async (ctx) => {
    const { address } = findAddresses(ctx.req)
    const network = networkOf(address)
    const note = (outcome: 'success' | 'failure' | 'denied', reason?: SignInReason) =>
      trail.noteOnceAMinute({
        ...{ subscriptionId: null, action: 'operator.login', outcome },
        actor: { kind: 'operator', id: null, name: '', address },
        ...(reason && { detail: { reason } }),
      })
    const before = await failures.get(network)
    if (before && before.consumedPoints >= MAX_FAILURES) {
      note('denied', 'throttled')
      throw new Problem('rate_limited', { retryAfterSeconds: Math.ceil(before.msBeforeNext / 1_000) })
    }
    const sent = ctx.get('authorization')
    if (timingSafeEqual(sha256(sent), expected)) {
      note('success')
      return true
    }
    if (sent !== '') {
      note('failure', 'wrong_password')
      await failures.consume(network).catch(() => undefined)
    }
    ctx.status = 401
    ctx.set('WWW-Authenticate', 'Basic realm="Inkling operators", charset="UTF-8"')
    ctx.body = `These pages are for operators: sign in as ${USER} with the password in OPS_PASSWORD.\n`
    return false
  }
}

/** Fixed size, so that a comparison in constant time is possible. */
const sha256 = (text: string) => createHash('sha256').update(text).digest()
