import type { z } from 'zod'
import { findUserById } from '../../db/accounts/users.ts'
import { listPasskeys } from '../../db/sign-in/passkeys.ts'
import { recordStepUp } from '../../db/sign-in/step-up.ts'
import { ACCOUNT_BODY_BYTES } from '../account/account-schemas.ts'
import { endpoint, type LoginCaller } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { type FactorDependencies, requireRelyingParty } from './factor-dependencies.ts'
import { PasskeyRequest, StepUpRequest } from './factor-schemas.ts'
import { passkeyRequestOptions } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'
import { takePasskey } from './take-passkey.ts'
import { takeTotp } from './take-totp.ts'

const CALLER = { kind: 'login', roles: ['admin', 'analyst'] } as const

/** Endpoints by which the user of a session proves again who they are. */
export function stepUp(dependencies: FactorDependencies) {
  const { db, trail, challenges, passwords, throttle, limitConcurrency, findRelyingParty } = dependencies

  async function isProved(
    { subscriptionId, userId }: LoginCaller,
    { password, totp, passkey, challenge = '' }: z.output<typeof StepUpRequest>,
    party: RelyingParty | undefined,
  ): Promise<boolean> {
    const owner = { subscriptionId, userId }
    if (password !== undefined) {
      const user = await findUserById(db, subscriptionId, userId)
      const hash = user?.requiredSso === null ? user.passwordHash : null
      return passwords.check(hash ?? undefined, password)
    }
    if (totp !== undefined) return takeTotp(dependencies, owner, totp)
    const issued = await challenges.verify('step_up', challenge)
    if (issued?.subject?.subscriptionId !== subscriptionId || issued.subject.userId !== userId)
      throw new Problem('challenge_invalid')
    if (!passkey) return false
    return (await takePasskey(db, requireRelyingParty(party), issued, passkey)) !== undefined
  }

  return [
    endpoint({
      method: 'post',
      path: '/api/account/v1/step-up/passkey',
      operationId: 'beginPasskeyStepUp',
      idempotency: 'not_idempotent',
      tag: 'Account',
      summary: 'Begins a step-up by a passkey',
      description: 'Send the answer of the passkey to `/api/account/v1/step-up`.',
      credential: CALLER,
      response: { status: 200, description: "A challenge for the user's passkeys", schema: PasskeyRequest },
      problems: ['conflict'],
      async act({ caller, header }) {
        const party = requireRelyingParty(findRelyingParty(header('host')))
        const { subscriptionId, userId } = caller
        const { id, challenge } = await challenges.issue('step_up', { subject: { subscriptionId, userId } })
        return { challenge, options: await passkeyRequestOptions(party, id, await listPasskeys(db, caller)) }
      },
    }),
    endpoint({
      method: 'post',
      path: '/api/account/v1/step-up',
      operationId: 'stepUp',
      idempotency: 'idempotent',
      tag: 'Account',
      summary: 'Proves again who the user is',
      description:
        'By the password, a code of an authenticator app, or a passkey. For the next 10 minutes, the session passes the routes that ' +
        'answer `step_up_required`. A wrong password or code counts as a failed login.',
      credential: CALLER,
      body: StepUpRequest,
      maxBodyBytes: ACCOUNT_BODY_BYTES,
      response: { status: 204, description: 'The session is confirmed' },
      problems: ['challenge_invalid', 'conflict', 'rate_limited', 'overloaded'],
      async act({ caller, actor, body, header, address }) {
        throttle.rejectBlocked(address)
        await limitConcurrency(async () => {
          const { subscriptionId, userId } = caller
          const attempt = await throttle.attempt(`step-up ${subscriptionId} ${userId}`, address)
          if (!(await isProved(caller, body, findRelyingParty(header('host'))))) {
            trail.note({
              ...{ subscriptionId, actor, action: 'session.step_up', outcome: 'failure' },
              detail: { reason: body.password !== undefined ? 'wrong_password' : 'wrong_factor' },
            })
            const way =
              body.password !== undefined ? 'password' : body.totp !== undefined ? 'totp' : 'passkey'
            throw new Problem('validation_failed', { errors: { [way]: [WRONG[way]] } })
          }
          await attempt.succeed()
          await recordStepUp(db, caller)
          trail.note({ subscriptionId, actor, action: 'session.step_up' })
        })
      },
    }),
  ]
}

const WRONG = {
  password: 'is not your password',
  totp: 'is wrong or was used before',
  passkey: 'is not the answer of one of your passkeys',
} as const
