import { z } from 'zod'
import { listUserAccounts } from '../../db/accounts/user-accounts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { pageOf, paging, presentPage } from '../http/paging.ts'
import { UserItem } from './user-schemas.ts'

/** E-mail of the last user returned, as base64url. */
const Cursor = z
  .string()
  .max(600)
  .regex(/^[\w-]+$/, 'must be next of a previous page')
  .meta({ description: 'next of the previous page', examples: ['YW5uQGFjbWUuZXhhbXBsZQ'] })
  .transform((cursor) => Buffer.from(cursor, 'base64url').toString('utf8').replaceAll('\0', ''))
  .optional()

const Query = z.object({
  ...paging,
  cursor: Cursor,
})

export const listUsers = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/users/v1',
    operationId: 'listUsers',
    tag: 'Users',
    summary: 'Lists the users of the subscription',
    description: 'Ordered by e-mail.',
    credential: { kind: 'login', roles: ['admin'] },
    query: Query,
    response: { status: 200, description: 'Users', schema: pageOf(UserItem).meta({ id: 'UserList' }) },
    problems: [],
    async act({ caller: { subscriptionId }, query: { cursor: after, limit } }) {
      const found = await listUserAccounts(db, subscriptionId, { after, limit: limit + 1 })
      return presentPage(found, limit, ({ userEmail }) => Buffer.from(userEmail).toString('base64url'))
    },
  })
