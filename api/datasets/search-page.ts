import type { DatasetRecord } from '../../db/datasets/dataset-records.ts'
import { type Cursor, type SearchPlan, scanNext } from '../../db/datasets/search-plan.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Datasets scanned by each statement until the page is full: few at first, 10,000 in total. */
const STEPS = [200, 1_800, 3_000, 5_000]

/** No further statement starts after this time, which bounds the response time on a slow disk. */
const MAX_MS = 400

/** A page of a search: full, or as many records as the bounded scan found. */
export interface SearchPage {
  readonly records: readonly DatasetRecord[]
  /** The last dataset scanned; undefined if there was none. */
  readonly cursor: Cursor | undefined
  readonly hasMore: boolean
}

/** Finds up to `limit` datasets of a search after the cursor. */
export async function findSearchPage(
  db: Db,
  plan: SearchPlan,
  { after, limit }: { after: Cursor | undefined; limit: number },
): Promise<SearchPage> {
  // the index conditions cover the whole search: one more row than the limit shows whether there are more
  if (plan.scans.every(({ filter }) => filter.length === 0))
    return scanNext(db, plan, { after, rows: limit + 1, limit })
  const startedAt = performance.now()
  const records: DatasetRecord[] = []
  let page: SearchPage = { records, cursor: after, hasMore: true }
  for (const rows of STEPS) {
    const step = await scanNext(db, plan, { after: page.cursor, rows, limit: limit - records.length })
    records.push(...step.records)
    page = { records, cursor: step.cursor ?? page.cursor, hasMore: step.hasMore }
    if (!step.hasMore || records.length === limit || performance.now() - startedAt > MAX_MS) break
  }
  return page
}
