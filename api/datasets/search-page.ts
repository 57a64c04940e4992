import type { DatasetRecord } from '../../db/datasets/dataset-records.ts'
import { type Cursor, type SearchPlan, scanNext } from '../../db/datasets/search-plan.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Datasets looked at by one statement after the other, few at first, until a page is full: 10,000 at most. */
const STEPS = [200, 1_800, 3_000, 5_000]

/** No further statement begins after this: a page comes soon, however slow the disk. */
const MAX_MS = 400

/** A page of a search: full, or as much as a bounded look found. */
export interface SearchPage {
  readonly records: readonly DatasetRecord[]
  /** How far the search has come; undefined where there was nothing to look at. */
  readonly cursor: Cursor | undefined
  readonly hasMore: boolean
}

/** Up to `limit` datasets of a search, behind `after`. */
export async function findSearchPage(
  db: Db,
  walk: SearchPlan,
  { after, limit }: { after: Cursor | undefined; limit: number },
): Promise<SearchPage> {
  // what the index finds is all there is to find: one row more tells whether there are more
  if (walk.scans.every(({ filter }) => filter.length === 0))
    return scanNext(db, walk, { after, rows: limit + 1, limit })
  const startedAt = performance.now()
  const records: DatasetRecord[] = []
  let page: SearchPage = { records, cursor: after, hasMore: true }
  for (const rows of STEPS) {
    const step = await scanNext(db, walk, { after: page.cursor, rows, limit: limit - records.length })
    records.push(...step.records)
    page = { records, cursor: step.cursor ?? page.cursor, hasMore: step.hasMore }
    if (!step.hasMore || records.length === limit || performance.now() - startedAt > MAX_MS) break
  }
  return page
}
