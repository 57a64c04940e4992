import { endSession } from '../../db/accounts/sessions.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { ACCOUNT_BODY_BYTES } from './account-schemas.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { RefreshRequest } from './refresh.ts'

export const logout = (db: Db, limitConcurrency: ConcurrencyLimit) =>
  endpoint({
    method: 'post',
    path: '/api/account/v1/logout',
    operationId: 'logout',
    idempotency: 'idempotent',
    tag: 'Account',
    summary: 'Ends a session',
    description:
      'Revokes the refresh token and all earlier ones at once, and the login tokens of the session within 5 s.',
    credential: { kind: 'none' },
    body: RefreshRequest,
    maxBodyBytes: ACCOUNT_BODY_BYTES,
    response: { status: 204, description: 'The session has ended or there was none' },
    problems: ['overloaded'],
    async act({ body, address }) {
      await limitConcurrency(() => endSession(db, body.refresh_token, address))
    },
  })
