import { z } from 'zod'
import { listApiKeyPage } from '../../db/accounts/api-keys.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { pageOf, paging, presentPage } from '../http/paging.ts'
import { Cursor, cursorOf } from './key-cursor.ts'
import { Key } from './key-schemas.ts'

const Query = z.object({ ...paging, cursor: paging.cursor.pipe(Cursor) })

export const listKeys = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/keys/v1',
    operationId: 'listKeys',
    tag: 'API keys',
    summary: 'Lists the API keys of the subscription',
    description: 'Live keys first, then revoked and expired ones; newest first. Keys of both modes.',
    credential: { kind: 'login', roles: ['admin'] },
    query: Query,
    response: {
      status: 200,
      description: 'Keys, without the secrets',
      schema: pageOf(Key).meta({ id: 'KeyList' }),
    },
    problems: [],
    async act({ caller: { subscriptionId }, query: { cursor: after, limit } }) {
      return presentPage(
        await listApiKeyPage(db, subscriptionId, { after, limit: limit + 1 }),
        limit,
        cursorOf,
      )
    },
  })
