import { revokeSiteKey as saveRevocation } from '../../db/collections/site-keys.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam, requireId } from '../http/id-param.ts'
import { Problem } from '../http/problem.ts'

export const revokeSiteKey = (db: Db) =>
  endpoint({
    method: 'delete',
    path: '/api/site-keys/v1/:id',
    operationId: 'revokeSiteKey',
    tag: 'Site keys',
    summary: 'Revokes a site key',
    description:
      'Permanent: pages cannot open collections with the key after 5 s. Collections that are open continue. Revoking it again ' +
      'changes nothing. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    params: { id: idParam('site key', '7') },
    response: { status: 204, description: 'The key is revoked' },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, actor, params }) {
      const id = requireId(params.id)
      if (!(await saveRevocation(db, { subscriptionId, actor, id }))) throw new Problem('not_found')
    },
  })
