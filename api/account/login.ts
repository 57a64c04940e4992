import { startSession } from '../../db/accounts/sessions.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { ACCOUNT_BODY_BYTES, LoginRequest } from './account-schemas.ts'
import { type CheckLogin, SUSPENDED_STATUS } from './check-login.ts'
import { LoginResponse, presentLogin } from './login-response.ts'
import type { Tokens } from './tokens.ts'

export const login = (db: Db, tokens: Tokens, checkLogin: CheckLogin) =>
  endpoint({
    method: 'post',
    path: '/api/account/v1/login',
    operationId: 'login',
    tag: 'Getting started',
    summary: 'Signs a user in by e-mail and password',
    description: 'The token is valid for 60 minutes (TOKEN_TTL_MINUTES).',
    credential: { kind: 'none' },
    body: LoginRequest,
    maxBodyBytes: ACCOUNT_BODY_BYTES,
    response: { status: 200, description: 'Signed in', schema: LoginResponse },
    problems: ['invalid_credentials', 'subscription_suspended', 'rate_limited', 'overloaded'],
    statuses: { subscription_suspended: SUSPENDED_STATUS },
    async act({ body, address, userAgent }) {
      const { id: userId, subscriptionId } = await checkLogin(body, address)
      const { sessionId, refreshToken } = await startSession(db, {
        subscriptionId,
        userId,
        address,
        userAgent,
      })
      return presentLogin(await tokens.issue({ subscriptionId, userId, sessionId }), refreshToken)
    },
  })
