import { createAuditedApiKey, MAX_LIVE_KEYS } from '../../db/accounts/api-keys.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { CreatedKey, DEFAULT_KEY_DAYS, NewKey } from './key-schemas.ts'

export const createKey = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/keys/v1',
    operationId: 'createKey',
    idempotency: 'not_idempotent',
    tag: 'API keys',
    summary: 'Creates an API key',
    description:
      'Returns the key once; only its hash is stored. A key has a role or scopes. A subscription has at most ' +
      `${MAX_LIVE_KEYS} live keys, and as many in test mode. Recorded in the audit log.`,
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    body: NewKey,
    response: { status: 200, description: 'The key, returned only once', schema: CreatedKey },
    problems: ['conflict'],
    async act({ caller: { subscriptionId }, actor, body }) {
      const created = await createAuditedApiKey(db, {
        subscriptionId,
        actor,
        ...body,
        label: body.label.trim(),
        expiresInDays: daysOf(body.expiresInDays),
      })
      if (!created)
        throw new Problem('conflict', {
          detail: `The subscription has ${MAX_LIVE_KEYS} live keys, which is the limit; revoke some first`,
        })
      return created
    },
  })

/** Returns the days until a new key expires; undefined if never. */
const daysOf = (expires: number | 'never' | undefined): number | undefined =>
  expires === 'never' ? undefined : (expires ?? DEFAULT_KEY_DAYS)
