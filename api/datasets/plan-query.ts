import { findCursor, planSearch } from '../../db/datasets/search-datasets.ts'
import type { Cursor, SearchPlan } from '../../db/datasets/search-plan.ts'
import type { Db } from '../../db/postgres/database.ts'
import { Problem } from '../http/problem.ts'
import type { DatasetSearchQuery } from './dataset-search-schemas.ts'

/** Plans the search of a query and resolves its cursor. @throws Problem `validation_failed` for an invalid cursor. */
export async function planQuery(
  db: Db,
  subscriptionId: number,
  query: DatasetSearchQuery,
): Promise<{ plan: SearchPlan; after: Cursor | undefined }> {
  const { search: term, referenceNumber: prefix, cursor, scoreCode, scoreFrom, scoreTo, ...rest } = query
  const score = scoreCode === undefined ? undefined : { code: scoreCode, from: scoreFrom, to: scoreTo }
  const [plan, after] = await Promise.all([
    planSearch(db, subscriptionId, { ...rest, term, prefix, score }),
    cursor === undefined ? undefined : findCursor(db, subscriptionId, cursor),
  ])
  if (cursor !== undefined && !(after && plan.scans.some((scan) => scan.contains(after))))
    throw new Problem('validation_failed', { errors: { cursor: ['must be next of a previous page'] } })
  return { plan, after }
}
