import type { SessionMethod } from '../../db/accounts/sessions.ts'
import { findUserById, type User } from '../../db/accounts/users.ts'
import { takeRecoveryCode } from '../../db/sign-in/recovery-codes.ts'
import { takeChallenge } from '../../db/sign-in/used-challenges.ts'
import { ACCOUNT_BODY_BYTES } from '../account/account-schemas.ts'
import type { BeginSession } from '../account/begin-session.ts'
import { LoginResponse } from '../account/login-response.ts'
import { COOKIES, SET_COOKIE, Session } from '../account/session-response.ts'
import { decideSignIn, requireSignedIn, SUSPENDED_STATUS } from '../account/sign-in.ts'
import { noteIfThrottled, noteSignIn } from '../account/sign-in-events.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import type { Challenge } from './challenges.ts'
import { type FactorDependencies, requireRelyingParty } from './factor-dependencies.ts'
import { FactorAnswer, PasskeyRequest } from './factor-schemas.ts'
import { passkeyRequestOptions } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'
import { AFTER_SSO } from './require-second-factor.ts'
import { takePasskey } from './take-passkey.ts'
import { takeTotp } from './take-totp.ts'

/** A completed sign-in. */
interface SignedIn {
  readonly user: User
  readonly method: SessionMethod
}

/** Endpoints that sign a user in by a factor: after the password, or by a passkey alone. */
export function factorLogin(dependencies: FactorDependencies, beginSession: BeginSession) {
  const { db, trail, challenges, throttle, limitConcurrency, findRelyingParty } = dependencies

  /** Checks the second factor of a user whose password was right. */
  async function checkSecondFactor(
    challenge: Challenge,
    { totp, passkey, recoveryCode }: FactorAnswer,
    party: RelyingParty | undefined,
    address: string | undefined,
  ): Promise<SignedIn | undefined> {
    const { subject } = challenge
    if (!subject) return undefined
    const user = await findUserById(db, subject.subscriptionId, subject.userId)
    if (!user) return undefined
    const isAfterSso = challenge.data === AFTER_SSO
    if (passkey)
      return (await takePasskey(db, requireRelyingParty(party), challenge, passkey))
        ? { user, method: isAfterSso ? 'sso+mfa' : 'password+passkey' }
        : undefined
    const isRight =
      totp !== undefined
        ? await takeTotp(dependencies, subject, totp)
        : await takeRecoveryCode(db, {
            ...subject,
            actor: { kind: 'user', id: user.id, name: user.email, address },
            code: recoveryCode ?? '',
          })
    // afterwards, so that a mistyped code can be corrected
    if (!isRight || !(await takeChallenge(db, { ...challenge, ...subject }))) return undefined
    if (isAfterSso) return { user, method: 'sso+mfa' }
    return { user, method: totp !== undefined ? 'password+totp' : 'password+recovery_code' }
  }

  /** Checks a passkey that signs in without a password. */
  async function checkPasskey(
    challenge: Challenge,
    { passkey }: FactorAnswer,
    party: RelyingParty | undefined,
  ): Promise<SignedIn | undefined> {
    const found = passkey && (await takePasskey(db, requireRelyingParty(party), challenge, passkey))
    const user = found && (await findUserById(db, found.subscriptionId, found.userId))
    return user && { user, method: 'passkey' }
  }

  async function signIn(
    answer: FactorAnswer,
    host: string | undefined,
    address: string | undefined,
  ): Promise<SignedIn> {
    throttle.rejectBlocked(address)
    return limitConcurrency(async () => {
      const second = await challenges.verify('second_factor', answer.challenge)
      const alone = second ? undefined : await challenges.verify('passkey_login', answer.challenge)
      const party = findRelyingParty(host)
      const listUsers = async () => {
        const { subject } = second ?? {}
        const user = subject && (await findUserById(db, subject.subscriptionId, subject.userId))
        return user ? [user] : []
      }
      const attempt = await noteIfThrottled(trail, throttle.attempt(accountOf(second, answer), address), {
        address,
        listUsers,
      })
      if (!second && !alone) throw new Problem('challenge_invalid')
      const signedIn = second
        ? await checkSecondFactor(second, answer, party, address)
        : alone && (await checkPasskey(alone, answer, party))
      if (!signedIn) {
        noteSignIn(trail, await listUsers(), { address, outcome: 'failure', reason: 'wrong_factor' })
        throw new Problem('invalid_credentials', { detail: WRONG_FACTOR })
      }
      const { user, method } = signedIn
      requireSignedIn(decideSignIn([method === 'sso+mfa' ? { ...user, requiredSso: null } : user]))
      await attempt.succeed()
      return signedIn
    })
  }

  const problems = [
    'invalid_credentials',
    'challenge_invalid',
    'subscription_suspended',
    'sso_required',
    'rate_limited',
    'conflict',
    'overloaded',
  ] as const

  return [
    endpoint({
      method: 'post',
      path: '/api/account/v1/login/passkey',
      operationId: 'beginPasskeyLogin',
      idempotency: 'not_idempotent',
      tag: 'Account',
      summary: 'Begins a sign-in by a passkey alone',
      description: 'Send the answer of the passkey to `/api/account/v1/login/factor`.',
      credential: { kind: 'none' },
      response: {
        status: 200,
        description: 'A challenge for any passkey of this service',
        schema: PasskeyRequest,
      },
      problems: ['conflict', 'overloaded'],
      async act({ header }) {
        const party = requireRelyingParty(findRelyingParty(header('host')))
        return limitConcurrency(async () => {
          const { id, challenge } = await challenges.issue('passkey_login')
          return { challenge, options: await passkeyRequestOptions(party, id) }
        })
      },
    }),
    endpoint({
      method: 'post',
      path: '/api/account/v1/login/factor',
      operationId: 'loginByFactor',
      idempotency: 'not_idempotent',
      tag: 'Account',
      summary: 'Completes a sign-in by a factor',
      description:
        'Answers the challenge of `second_factor_required` or of a sign-in by a passkey alone. A challenge signs in once; each code ' +
        'of an authenticator app and each recovery code is accepted once. A wrong one counts as a failed login.',
      credential: { kind: 'none' },
      body: FactorAnswer,
      maxBodyBytes: ACCOUNT_BODY_BYTES,
      response: { status: 200, description: 'Signed in', schema: LoginResponse },
      problems,
      statuses: { subscription_suspended: SUSPENDED_STATUS },
      async act({ body, header, address, userAgent }) {
        const { user, method } = await signIn(body, header('host'), address)
        return beginSession.withTokens(user, { method, address, userAgent })
      },
    }),
    endpoint({
      method: 'post',
      path: '/api/account/v1/session/factor',
      operationId: 'beginSessionByFactor',
      idempotency: 'not_idempotent',
      tag: 'Account',
      summary: 'Completes the sign-in of a browser session by a factor',
      description: `${COOKIES}\n\nOtherwise as \`/api/account/v1/login/factor\`.`,
      credential: { kind: 'none' },
      body: FactorAnswer,
      maxBodyBytes: ACCOUNT_BODY_BYTES,
      response: {
        status: 200,
        description: 'Signed in; the cookies are set',
        schema: Session,
        headers: SET_COOKIE,
      },
      problems: ['forbidden', ...problems],
      statuses: { subscription_suspended: SUSPENDED_STATUS },
      async act({ body, header, address, userAgent, cookies }) {
        cookies.requirePortal()
        const { user, method } = await signIn(body, header('host'), address)
        return beginSession.withCookies(user, { method, address, userAgent }, cookies)
      },
    }),
  ]
}

const WRONG_FACTOR = 'The code or passkey is wrong, or was used before; try again'

/** Account whose failures are counted: other than that of its password, which a right password would reset. */
const accountOf = (challenge: Challenge | undefined, { passkey }: FactorAnswer): string =>
  challenge?.subject
    ? `factor ${challenge.subject.subscriptionId} ${challenge.subject.userId}`
    : `passkey ${passkey?.id ?? ''}`
