import { endpoint } from '../http/endpoint.ts'
import { ACCOUNT_BODY_BYTES, LoginRequest } from './account-schemas.ts'
import type { BeginSession } from './begin-session.ts'
import type { CheckLogin } from './check-login.ts'
import { LoginResponse } from './login-response.ts'
import { SUSPENDED_STATUS } from './sign-in.ts'

export const login = (checkLogin: CheckLogin, beginSession: BeginSession) =>
  endpoint({
    method: 'post',
    path: '/api/account/v1/login',
    operationId: 'login',
    idempotency: 'not_idempotent',
    tag: 'Getting started',
    summary: 'Signs a user in by e-mail and password',
    description:
      'The token is valid for 60 minutes (TOKEN_TTL_MINUTES).\n\nA user of several subscriptions with the same e-mail and password ' +
      'gets `subscription_required`: repeat the request with the name of one as `subscription`. Without it, passwords are compared ' +
      'with those of the two oldest users of the e-mail.\n\nA user with a second factor gets `second_factor_required`: send its ' +
      'challenge with a code, the answer of a passkey or a recovery code to `/api/account/v1/login/factor`.\n\nWhere passwords are off ' +
      'for an e-mail domain, the answer is `sso_required`, whether or not there is such a user.',
    credential: { kind: 'none' },
    body: LoginRequest,
    maxBodyBytes: ACCOUNT_BODY_BYTES,
    response: { status: 200, description: 'Signed in', schema: LoginResponse },
    problems: [
      'invalid_credentials',
      'subscription_suspended',
      'subscription_required',
      'sso_required',
      'second_factor_required',
      'rate_limited',
      'overloaded',
    ],
    statuses: { subscription_suspended: SUSPENDED_STATUS },
    async act({ body, header, address, userAgent }) {
      const user = await checkLogin(body, { address, host: header('host') })
      return beginSession.withTokens(user, { method: 'password', address, userAgent })
    },
  })
