import { findCursor, planSearch as planDatasetSearch } from '../../db/datasets/search-datasets.ts'
import type { Cursor, SearchPlan } from '../../db/datasets/search-plan.ts'
import type { Db } from '../../db/postgres/database.ts'
import { Problem } from '../http/problem.ts'
import type { DatasetSearchQuery } from './dataset-search-schemas.ts'

/** A search as a query asks for it, and where it goes on. @throws Problem `validation_failed` where the cursor is none. */
export async function planSearch(
  db: Db,
  subscriptionId: number,
  query: DatasetSearchQuery,
): Promise<{ walk: SearchPlan; after: Cursor | undefined }> {
  const { search: term, referenceNumber: prefix, cursor, scoreCode, scoreFrom, scoreTo, ...rest } = query
  const score = scoreCode === undefined ? undefined : { code: scoreCode, from: scoreFrom, to: scoreTo }
  const [walk, after] = await Promise.all([
    planDatasetSearch(db, subscriptionId, { ...rest, term, prefix, score }),
    cursor === undefined ? undefined : findCursor(db, subscriptionId, cursor),
  ])
  if (cursor !== undefined && !(after && walk.scans.some((leg) => leg.contains(after))))
    throw new Problem('validation_failed', { errors: { cursor: ['must be next of a page before'] } })
  return { walk, after }
}
