import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import { startSession } from '../../db/sessions.ts'
import { findUserByEmail, normalizeEmail } from '../../db/users.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { text } from '../http/text.ts'
import { ACCOUNT_BODY_BYTES } from './account-body-bytes.ts'
import type { FewAtOnce } from './few-at-once.ts'
import { LoginResponse, presentLogin } from './login-response.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { Passwords } from './passwords.ts'
import type { Tokens } from './tokens.ts'

const LoginRequest = z.object({
  userEmail: text(1, 320).meta({ examples: ['analyst@lender.example'] }),
  password: text(1, 1_000),
})

/** Other than for API keys and login tokens, as clients of such services know it. */
const SUSPENDED_STATUS = 400

/** What a log-in works with. */
interface LoginTools {
  readonly db: Db
  readonly passwords: Passwords
  readonly throttle: LoginThrottle
  readonly tokens: Tokens
  readonly fewAtOnce: FewAtOnce
}

export const login = ({ db, passwords, throttle, tokens, fewAtOnce }: LoginTools) =>
  endpoint({
    method: 'post',
    path: '/api/account/v1/login',
    operationId: 'login',
    tag: 'Account',
    summary: 'Log in by e-mail and password',
    description: 'The token is valid for 60 minutes (TOKEN_TTL_MINUTES).',
    credential: { kind: 'none' },
    body: LoginRequest,
    maxBodyBytes: ACCOUNT_BODY_BYTES,
    answer: { status: 200, description: 'Logged in', schema: LoginResponse },
    problems: ['invalid_credentials', 'subscription_suspended', 'rate_limited', 'overloaded'],
    statuses: { subscription_suspended: SUSPENDED_STATUS },
    async act({ body, address }) {
      const account = normalizeEmail(body.userEmail)
      throttle.refuseBlocked(address) // before it takes a turn from others
      return fewAtOnce(async () => {
        const attempt = await throttle.attempt(account, address)
        const user = await findUserByEmail(db, account)
        const known = await passwords.check(user?.passwordHash, body.password)
        if (!user || !known || user.disabled) throw new Problem('invalid_credentials')
        if (user.suspended) throw new Problem('subscription_suspended', { status: SUSPENDED_STATUS })
        await attempt.succeed()

        const { id: userId, subscriptionId } = user
        const { sessionId, refreshToken } = await startSession(db, { subscriptionId, userId })
        return presentLogin(await tokens.issue({ subscriptionId, userId, sessionId }), refreshToken)
      })
    },
  })
