import { z } from 'zod'
import { withdrawCollection } from '../../db/collections/withdraw-collection.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'

const Withdrawn = z.object({}).meta({ id: 'WithdrawnCollection', examples: [{}] })

export const withdrawal = (path: string, db: Db) =>
  endpoint({
    method: 'post',
    path: `${path}/withdraw`,
    operationId: 'withdrawCollection',
    idempotency: 'idempotent',
    tag: 'Collections',
    summary: 'Erases a collection for a user who withdraws consent',
    description:
      'Erases the collection with its segments, unless it has become a dataset, which an admin of the subscription can delete. Needs ' +
      'no body.',
    credential: { kind: 'collection' },
    response: { status: 200, description: 'The collection is erased', schema: Withdrawn },
    problems: ['collection_closed'],
    async act({ caller }) {
      const outcome = await withdrawCollection(db, caller.collection)
      if (outcome === 'unknown') throw new Problem('collection_not_found')
      if (outcome === 'dataset') throw new Problem('collection_closed')
      return {}
    },
  })
