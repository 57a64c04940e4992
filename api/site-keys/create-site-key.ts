import { MAX_LIVE_SITE_KEYS, createSiteKey as saveSiteKey } from '../../db/collections/site-keys.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { overLimit } from './site-key-conflicts.ts'
import { NewSiteKey, SiteKey } from './site-key-schemas.ts'

export const createSiteKey = (db: Db) =>
  endpoint({
    method: 'post',
    path: '/api/site-keys/v1',
    operationId: 'createSiteKey',
    idempotency: 'not_idempotent',
    tag: 'Site keys',
    summary: 'Creates a site key',
    description:
      'Pages open collections with it. The key is public; it can neither read anything nor upload a dataset. ' +
      `A subscription has at most ${MAX_LIVE_SITE_KEYS} live site keys. Recorded in the audit log.`,
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    body: NewSiteKey,
    response: { status: 200, description: 'The created key', schema: SiteKey },
    problems: ['conflict'],
    async act({ caller: { subscriptionId }, actor, body }) {
      const created = await saveSiteKey(db, {
        ...{ subscriptionId, actor },
        ...body,
        label: body.label.trim(),
      })
      if (created === 'limit') throw overLimit()
      return created
    },
  })
