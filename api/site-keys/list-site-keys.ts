import { z } from 'zod'
import { listSiteKeys as findPage } from '../../db/collections/list-site-keys.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { pageOf, paging, presentPage } from '../http/paging.ts'
import { Cursor, cursorOf } from '../keys/key-cursor.ts'
import { SiteKey } from './site-key-schemas.ts'

const Query = z.object({ ...paging, cursor: paging.cursor.pipe(Cursor) })

export const listSiteKeys = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/site-keys/v1',
    operationId: 'listSiteKeys',
    tag: 'Site keys',
    summary: 'Lists the site keys of the subscription with their use',
    description: 'Live keys first, then revoked and expired ones; newest first.',
    credential: { kind: 'login', roles: ['admin'] },
    query: Query,
    response: {
      status: 200,
      description: 'Site keys, and their use in the last 30 days',
      schema: pageOf(SiteKey).meta({ id: 'SiteKeyList' }),
    },
    problems: [],
    async act({ caller: { subscriptionId }, query: { cursor: after, limit } }) {
      return presentPage(await findPage(db, subscriptionId, { after, limit: limit + 1 }), limit, cursorOf)
    },
  })
