import { findSearchPage } from '../../../api/datasets/search-page.ts'
import { type DatasetSearch, planSearch } from '../../../db/datasets/search-datasets.ts'
import { findTimeline } from '../../../db/datasets/timeline.ts'
import { type Db, queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'
import type { GrowthPlan } from './growth-plan.ts'
import type { CallMeter } from './measure-calls.ts'
import { FREQUENT_DEVICE } from './templates.ts'

/** A dataset to search for. */
interface Sample {
  readonly reference: string
  readonly clientId: string
  readonly deviceId: string
  readonly uploadedAt: Date
}

const DAY_MS = 86_400_000

/** The filters of a search, one at a time. */
const SEARCHES: readonly [name: string, search: (sample: Sample) => DatasetSearch][] = [
  ['none', () => ({})],
  ['reference', ({ reference }) => ({ prefix: reference.slice(0, 8) })],
  ['term', ({ clientId }) => ({ term: clientId.slice(0, 10) })],
  ['client', ({ clientId }) => ({ clientId })],
  ['device', ({ deviceId }) => ({ deviceId })],
  ['frequent device', () => ({ deviceId: FREQUENT_DEVICE })],
  ['status', () => ({ status: 'invalid' })],
  ['error code', () => ({ invalidCode: 'not_gzip' })],
  ['platform', () => ({ platform: 'ios' })],
  [
    'period',
    ({ uploadedAt }) => ({
      since: uploadedAt.toISOString(),
      until: new Date(uploadedAt.getTime() + DAY_MS).toISOString(),
    }),
  ],
  ['score', () => ({ score: { code: 'demo_mobile', from: 1 } })],
]

/** Names of all measures of searches, in the order of the report. */
export const SEARCH_NAMES: readonly string[] = SEARCHES.map(([name]) => `search: ${name}`)

/** The page size of the portal. */
const PAGE_ROWS = 50

/** Measures searches by each filter and timelines. */
export async function measureStatements(
  meter: CallMeter,
  subscriptionId: number,
  { calls, rounds }: GrowthPlan,
): Promise<void> {
  const { db, measure } = meter
  const samples = await listSamples(db, subscriptionId, calls)
  const sampleOf = (n: number) => samples[n % samples.length] as Sample
  const search = async (filters: DatasetSearch) => {
    const plan = await planSearch(db, subscriptionId, filters)
    return findSearchPage(db, plan, { after: undefined, limit: PAGE_ROWS })
  }
  for (let round = 0; round < rounds; round++) {
    for (const [name, filtersOf] of SEARCHES)
      await measure(`search: ${name}`, calls, (n) => search(filtersOf(sampleOf(n))))
    await measure('timeline', calls, (n) => findTimeline(db, subscriptionId, sampleOf(n).reference))
  }
}

/** Lists ordinary datasets, evenly spread over all. */
async function listSamples(db: Db, subscriptionId: number, count: number): Promise<Sample[]> {
  const rows = await queryRows<Sample>(
    db,
    sql`select reference_number as reference, additional_info ->> 'clientId' as "clientId", device_id as "deviceId",
               uploaded_at as "uploadedAt"
        from (select max(id) as last from datasets) m
        cross join generate_series(0, ${count} - 1) g (n)
        cross join lateral (
          select * from datasets d
          where d.subscription_id = ${subscriptionId} and d.id > g.n * m.last / ${count} and d.status = 'ready'
            and d.id % 10 = 5 order by d.id limit 1
        ) d`,
  )
  if (rows.length === 0) throw new Error('There is no dataset to search for')
  return rows
}
