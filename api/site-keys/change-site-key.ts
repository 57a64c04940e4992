import { changeSiteKey as saveChange } from '../../db/collections/site-keys.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam, requireId } from '../http/id-param.ts'
import { Problem } from '../http/problem.ts'
import { hasEnded } from './site-key-conflicts.ts'
import { SiteKey, SiteKeyChange } from './site-key-schemas.ts'

export const changeSiteKey = (db: Db) =>
  endpoint({
    method: 'patch',
    path: '/api/site-keys/v1/:id',
    operationId: 'changeSiteKey',
    idempotency: 'idempotent',
    tag: 'Site keys',
    summary: 'Changes the label, origins, modules or limit of a site key',
    description:
      'Replaces each member that is sent; takes effect within 5 s. The level of a key cannot be changed. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    params: { id: idParam('site key', '7') },
    body: SiteKeyChange,
    response: { status: 200, description: 'The changed key', schema: SiteKey },
    problems: ['not_found', 'conflict'],
    async act({ caller: { subscriptionId }, actor, params, body: { label, ...rest } }) {
      const id = requireId(params.id)
      const change = { ...rest, label: label?.trim() }
      const changed = await saveChange(db, { subscriptionId, actor, id, ...change })
      if (!changed) throw new Problem('not_found')
      if (changed === 'ended') throw hasEnded()
      return changed
    },
  })
