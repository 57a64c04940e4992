import { rotateSiteKey as saveRotation } from '../../db/collections/site-keys.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam, requireId } from '../http/id-param.ts'
import { Problem } from '../http/problem.ts'
import { hasEnded, overLimit } from './site-key-conflicts.ts'
import { SiteKey, SiteKeyRotation } from './site-key-schemas.ts'

export const rotateSiteKey = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/site-keys/v1/:id/rotate',
    operationId: 'rotateSiteKey',
    idempotency: 'not_idempotent',
    tag: 'Site keys',
    summary: 'Rotates a site key',
    description:
      'Creates a successor with the same settings and sets the expiry of the key: it works for overlapHours more, so that pages can ' +
      'be changed meanwhile. A key is rotated once. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    params: { id: idParam('site key', '7') },
    body: SiteKeyRotation,
    response: { status: 200, description: 'The successor', schema: SiteKey },
    problems: ['not_found', 'conflict'],
    async act({ caller: { subscriptionId }, actor, params, body: { overlapHours } }) {
      const id = requireId(params.id)
      const successor = await saveRotation(db, { subscriptionId, actor, id, overlapHours })
      if (!successor) throw new Problem('not_found')
      if (successor === 'ended') throw hasEnded()
      if (successor === 'limit') throw overLimit()
      if (successor === 'rotated')
        throw new Problem('conflict', { detail: 'The site key was rotated before; rotate its successor' })
      return successor
    },
  })
