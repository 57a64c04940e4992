import type { Context } from 'koa'
import type { Actor } from '../../db/audit/actor.ts'
import { RateLimiterMemory } from '../account/rate-limiters.ts'
import type { SecurityEvent, SignInReason, Trail } from '../audit/trail.ts'
import { type FindAddresses, networkOf } from '../http/addresses.ts'
import { openSecretCheck } from '../http/open-secret-check.ts'
import { Problem } from '../http/problem.ts'
import type { OperatorAccounts, OperatorSignIn } from './operator-accounts.ts'

/** User of the one password for all operators. */
const SHARED_USER = 'operator'

/** Wrong passwords per address, window and process, after which the address is blocked. */
const MAX_FAILURES = 10
const WINDOW_SECONDS = 15 * 60

/** Longer credentials are wrong: names have up to 64 characters, `OPS_PASSWORD` up to 1,000. */
const MAX_HEADER_LENGTH = 8_000

/**
 * Authenticates operators by HTTP Basic authentication, with the name and password of their account.
 *
 * @returns the operator, without an id for the shared password; `disabled` if nobody can sign in; for `rejected`, the response asks for the
 *   password.
 * @throws Problem `rate_limited` after too many wrong passwords, `overloaded`.
 */
export type AuthenticateOperator = (ctx: Context) => Promise<Actor | 'rejected' | 'disabled'>

/** @param sharedPassword of the user `operator`, which the next version does not accept. */
export function openOperatorAuthentication(
  { sharedPassword, accounts }: { sharedPassword: string | undefined; accounts: OperatorAccounts },
  findAddresses: FindAddresses,
  trail: Pick<Trail, 'note' | 'noteOnceAMinute'>,
): AuthenticateOperator {
  const failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: WINDOW_SECONDS })
  const isShared = sharedPassword === undefined ? () => false : openSecretCheck(sharedPassword)

  return async (ctx) => {
    const { address } = findAddresses(ctx.req)
    const network = networkOf(address)
    const actorOf = ({ operator }: OperatorSignIn): Actor => ({
      ...{ kind: 'operator', id: operator?.id ?? null, name: operator?.name ?? '', address },
    })
    const eventOf = (outcome: 'success' | 'failure' | 'denied', signIn: OperatorSignIn): SecurityEvent => ({
      ...{ subscriptionId: null, action: 'operator.login', outcome, actor: actorOf(signIn) },
      ...(signIn.rejected && { detail: { reason: signIn.rejected } }),
    })
    const noteThrottled = () => trail.noteOnceAMinute(eventOf('denied', { rejected: 'throttled' }))

    async function signIn(): Promise<OperatorSignIn> {
      const { name, password } = parseBasic(ctx.get('authorization'))
      if (name === SHARED_USER)
        return isShared(password) ? {} : { rejected: sharedPassword === undefined ? 'unknown_user' : WRONG }
      if (!(await accounts.exist())) return { rejected: 'unknown_user' }
      return accounts.check(name, password, address).catch((error) => {
        if (error instanceof Problem && error.code === 'rate_limited') noteThrottled()
        throw error
      })
    }

    if (sharedPassword === undefined && !(await accounts.exist())) return 'disabled'
    const before = await failures.get(network)
    if (before && before.consumedPoints >= MAX_FAILURES) {
      noteThrottled()
      throw new Problem('rate_limited', { retryAfterSeconds: Math.ceil(before.msBeforeNext / 1_000) })
    }
    if (ctx.get('authorization') !== '') {
      const signedIn = await signIn()
      if (signedIn.rejected === undefined) {
        trail.noteOnceAMinute(eventOf('success', signedIn)) // browsers send the password with each request
        return actorOf(signedIn)
      }
      trail.note(eventOf('failure', signedIn))
      await failures.consume(network).catch(() => undefined)
    }
    ctx.status = 401
    ctx.set('WWW-Authenticate', 'Basic realm="Inkling operators", charset="UTF-8"')
    ctx.body =
      'These pages are for operators: sign in with your account, which scripts/admin operator create makes' +
      (sharedPassword === undefined ? '.\n' : `, or as ${SHARED_USER} with the password in OPS_PASSWORD.\n`)
    return 'rejected'
  }
}

const WRONG: SignInReason = 'wrong_password'

/** Name and password of a header; empty ones if it has another form. @see RFC 7617 */
function parseBasic(header: string): { name: string; password: string } {
  const [, encoded = ''] = /^Basic ([\w+/=-]*)$/i.exec(header.slice(0, MAX_HEADER_LENGTH)) ?? []
  const [, name = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return { name, password }
}
