import { changePassword } from '../../db/accounts/passwords.ts'
import { findUserByEmail, listUsersByEmail } from '../../db/accounts/users.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { ACCOUNT_BODY_BYTES, PasswordChange } from './account-schemas.ts'
import type { LoginDependencies } from './check-login.ts'
import { requireAcceptablePassword } from './password-rules.ts'

export const passwordChange = ({ db, trail, passwords, throttle, limitConcurrency }: LoginDependencies) =>
  endpoint({
    method: 'post',
    path: '/api/account/v1/password',
    operationId: 'changePassword',
    idempotency: 'idempotent',
    tag: 'Account',
    summary: 'Changes the password of the user',
    description:
      'Ends all other sessions of the user and revokes open invitation links. A wrong current password counts as a failed login. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    body: PasswordChange,
    maxBodyBytes: ACCOUNT_BODY_BYTES,
    response: { status: 204, description: 'The password is changed' },
    problems: ['rate_limited', 'overloaded'],
    async act({ caller: { subscriptionId, userId, sessionId, email }, actor, body, address }) {
      throttle.rejectBlocked(address)
      await requireAcceptablePassword('newPassword', body.newPassword, email)
      await limitConcurrency(async () => {
        const attempt = await throttle.attempt(email, address)
        const user = await findUserByEmail(db, subscriptionId, email)
        if (!(await passwords.check(user?.passwordHash ?? undefined, body.currentPassword))) {
          trail.note({
            ...{ subscriptionId, actor, action: 'user.password', subject: email, outcome: 'failure' },
            detail: { reason: 'wrong_password' },
          })
          throw new Problem('validation_failed', { errors: { currentPassword: ['is not your password'] } })
        }
        await attempt.succeed({ ofAll: (await listUsersByEmail(db, { email, limit: 2 })).length === 1 })
        const passwordHash = await passwords.hash(body.newPassword)
        await changePassword(db, { subscriptionId, userId, sessionId, email, actor, passwordHash })
      })
    },
  })
