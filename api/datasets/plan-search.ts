import { beginWalk, findPlace } from '../../db/datasets/search-datasets.ts'
import type { Place, Walk } from '../../db/datasets/search-plan.ts'
import type { Db } from '../../db/postgres/database.ts'
import { Problem } from '../http/problem.ts'
import type { DatasetSearchQuery } from './dataset-search-schemas.ts'

/** Plans the search of a query and resolves its cursor. @throws Problem `validation_failed` for an invalid cursor. */
export async function planSearch(
  db: Db,
  subscriptionId: number,
  query: DatasetSearchQuery,
): Promise<{ plan: Walk; after: Place | undefined }> {
  const { search: term, referenceNumber: prefix, cursor, scoreCode, scoreFrom, scoreTo, ...rest } = query
  const score = scoreCode === undefined ? undefined : { code: scoreCode, from: scoreFrom, to: scoreTo }
  const [plan, after] = await Promise.all([
    beginWalk(db, subscriptionId, { ...rest, term, prefix, score }),
    cursor === undefined ? undefined : findPlace(db, subscriptionId, cursor),
  ])
  if (cursor !== undefined && !(after && plan.legs.some((leg) => leg.holds(after))))
    throw new Problem('validation_failed', { errors: { cursor: ['must be next of a previous page'] } })
  return { plan, after }
}
