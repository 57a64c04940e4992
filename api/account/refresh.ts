import { z } from 'zod'
import { rotateRefreshToken } from '../../db/accounts/sessions.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { text } from '../http/text.ts'
import { ACCOUNT_BODY_BYTES } from './account-schemas.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { LoginResponse, presentLogin } from './login-response.ts'
import type { Tokens } from './tokens.ts'

export const RefreshRequest = z
  .object({
    refresh_token: text(1, 1_000).meta({
      description: 'Refresh token of the login or of the last refresh',
      examples: ['Zr0cPq1nA5vYw3uJk8sT2mXe7bLd4fHg6iOaN9yCzQs'],
    }),
  })
  .meta({ id: 'RefreshRequest' })

export const refresh = (db: Db, tokens: Tokens, limitConcurrency: ConcurrencyLimit) =>
  endpoint({
    method: 'post',
    path: '/api/account/v1/refresh',
    operationId: 'refresh',
    idempotency: 'not_idempotent',
    tag: 'Account',
    summary: 'Exchanges a refresh token for a new login token',
    description: 'A refresh token works once. Using one twice ends its session.',
    credential: { kind: 'none' },
    body: RefreshRequest,
    maxBodyBytes: ACCOUNT_BODY_BYTES,
    response: {
      status: 200,
      description: 'A new login token and the next refresh token',
      schema: LoginResponse,
    },
    problems: ['invalid_credentials', 'overloaded'],
    async act({ body, address }) {
      const rotated = await limitConcurrency(() =>
        rotateRefreshToken(db, body.refresh_token, 'program', address),
      )
      if (!rotated)
        throw new Problem('invalid_credentials', {
          detail: 'The refresh token is unknown or used, or its session has ended; sign in again',
        })
      return presentLogin(await tokens.issue(rotated.user), rotated.refreshToken)
    },
  })
