import { revokeAuditedApiKey } from '../../db/accounts/api-keys.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam, requireId } from '../http/id-param.ts'
import { Problem } from '../http/problem.ts'

export const revokeKey = (db: Db) =>
  endpoint({
    method: 'delete',
    path: '/api/keys/v1/:id',
    operationId: 'revokeKey',
    tag: 'API keys',
    summary: 'Revokes an API key',
    description:
      'Permanent: requests with the key return 401 within 5 s. Revoking it again changes nothing. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    params: { id: idParam('key', '41') },
    response: { status: 204, description: 'The key is revoked' },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, actor, params }) {
      if (!(await revokeAuditedApiKey(db, { subscriptionId, id: requireId(params.id), actor })))
        throw new Problem('not_found')
    },
  })
