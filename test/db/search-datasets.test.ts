import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Db, queryRows } from '../../db/database.ts'
import * as datasetSearch from '../../db/migrations/0008-dataset-search.ts'
import { beginWalk, type DatasetSearch, findPlace, walkOn } from '../../db/search-datasets.ts'
import { openWorkbench, type Workbench } from '../workbench.ts'

let bench: Workbench

const MANY = 20_000

/** Datasets one minute after the other, from midnight of the first of January; every other one is of somebody else. */
async function fill(db: Db, subscriptionId: number, otherId: number): Promise<void> {
  await queryRows(
    db,
    `insert into datasets (subscription_id, reference_number, data_hash, status, platform, device_id, additional_info, uploaded_at)
     select s, 'LN-' || n, '', case when n % 100 = 0 then 'invalid' else 'ready' end, 'android', 'device-' || n % 1000,
            jsonb_build_object('clientId', 'C-' || n % 500), timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute'
     from generate_series(0, ?::integer - 1) n cross join unnest(?::integer[]) s order by n`,
    [MANY, [subscriptionId, otherId]],
  )
  await db.raw('analyze datasets')
}

beforeAll(async () => {
  bench = await openWorkbench()
  await fill(bench.db, bench.subscriptionId, await bench.openSubscription())
})
afterAll(() => bench.close())

const walk = async (search: DatasetSearch, options: { rows?: number; limit?: number; after?: string } = {}) =>
  walkOn(bench.db, await beginWalk(bench.db, bench.subscriptionId, search), {
    after:
      options.after === undefined
        ? undefined
        : await findPlace(bench.db, bench.subscriptionId, options.after),
    rows: options.rows ?? 50,
    limit: options.limit ?? 50,
  })
const referencesOf = ({ records }: { records: readonly { referenceNumber: string }[] }) =>
  records.map(({ referenceNumber }) => referenceNumber)

test('a search looks at no more rows than it is told, and says how far it came', async () => {
  const { db, subscriptionId } = bench
  const first = await walk({ platform: 'web' }, { rows: 1_000 })
  expect(first).toMatchObject({ records: [], hasMore: true, through: { referenceNumber: 'LN-19000' } })
  const begun = await beginWalk(db, subscriptionId, { platform: 'web' })
  const last = await walkOn(db, begun, { after: first.through, rows: MANY, limit: 50 })
  expect(last).toMatchObject({ records: [], hasMore: false, through: { referenceNumber: 'LN-0' } })
})

test('a search that found enough goes on behind the last it found', async () => {
  const found = await walk({ status: 'ready' }, { rows: 1_000, limit: 3 })
  expect(referencesOf(found)).toEqual(['LN-19999', 'LN-19998', 'LN-19997'])
  expect(found).toMatchObject({ hasMore: true, through: { referenceNumber: 'LN-19997' } })
})

test('a time is found by halving, to the dataset, whoever else uploads', async () => {
  const day = { since: '2026-01-05T00:00:00Z', until: '2026-01-06T00:00:00Z' }
  const found = await walk(day, { rows: 10_000, limit: 10_000 })
  expect(found.hasMore).toBe(false)
  expect(referencesOf(found)).toEqual(Array.from({ length: 24 * 60 }, (_, n) => `LN-${5 * 24 * 60 - 1 - n}`))
  // what is before and after it was not looked at
  expect(found.through?.referenceNumber).toBe('LN-5759')
  for (const none of [{ since: '2027-01-01T00:00:00Z' }, { until: '2025-01-01T00:00:00Z' }])
    expect(await walk(none)).toEqual({ records: [], through: undefined, hasMore: false })
})

test('an upload time that is a little out of order is found all the same', async () => {
  const late = { referenceNumber: 'LN-9000' }
  const update = (at: string) =>
    queryRows(
      bench.db,
      'update datasets set uploaded_at = ? where subscription_id = ? and reference_number = ?',
      [at, bench.subscriptionId, late.referenceNumber],
    )
  await update('2026-01-07T06:00:59.5Z') // as if it had been uploaded after the one behind it
  const found = await walk({ since: '2026-01-07T06:00:58Z', until: '2026-01-07T06:01:00Z' })
  expect(referencesOf(found)).toEqual(['LN-9000'])
  await update('2026-01-07T06:00:00Z')
})

describe('what an index serves is found by it, whatever the locale of the database', () => {
  const planOf = async (sql: string, bindings: readonly unknown[]) => {
    const lines = await bench.db.transaction(async (trx) => {
      await queryRows(trx, 'set local enable_bitmapscan = off')
      return queryRows<{ 'QUERY PLAN': string }>(trx, `explain ${sql}`, bindings)
    })
    return lines.map((line) => line['QUERY PLAN']).join('\n')
  }

  test.each([
    [{ referenceNumber: 'LN-77' }, 'datasets_reference'],
    [{ deviceId: 'device-7' }, 'datasets_device'],
    [{ clientId: 'C-7' }, 'datasets_client'],
    [{ status: 'invalid' }, 'datasets_status'],
    [{ invalidCode: 'not_gzip' }, 'datasets_status'],
    [{ platform: 'web' }, 'datasets_pkey'],
    [{ since: '2026-01-05T00:00:00Z' }, 'datasets_pkey'],
  ] as const)('%j by %s', async (query, index) => {
    const { referenceNumber: prefix, ...rest } = { referenceNumber: undefined, ...query }
    const { along, order } = await beginWalk(bench.db, bench.subscriptionId, { ...rest, prefix })
    const key = order === 'newest' ? 'id desc' : 'reference_number'
    const plan = await planOf(
      `select from datasets d where ${along.sql} order by d.${key} limit 50`,
      along.bindings,
    )
    expect(plan).toMatch(new RegExp(`Index (Only )?Scan.* using ${index} `))
    expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
  })
})

test('the migration goes back, comes again, and mends what an attempt that was ended left', async () => {
  await using other = { ...(await openWorkbench()), [Symbol.asyncDispose]: () => other.close() }
  const { db } = other
  const indexes = async () =>
    (
      await queryRows<{ name: string }>(
        db,
        `select indexname as name from pg_indexes where tablename = 'datasets' order by 1`,
      )
    ).map(({ name }) => name)
  const collation = async () =>
    queryRows(
      db,
      `select collation_name as name from information_schema.columns
       where table_name = 'datasets' and column_name = 'reference_number'`,
    )
  const migrated = await indexes()
  expect(await collation()).toEqual([{ name: 'C' }])
  await datasetSearch.down(db)
  expect(await collation()).toEqual([{ name: null }])
  expect(await indexes()).toContain('datasets_reference_number')

  const key = await other.receive({})
  await db.raw(
    'create unique index concurrently datasets_device on datasets ((1), (length(device_id))) where false',
  )
  await db.raw(`update pg_index set indisvalid = false where indexrelid = 'datasets_device'::regclass`)
  await datasetSearch.up(db)
  await datasetSearch.up(db)
  expect(await indexes()).toEqual(migrated)
  expect(await other.list(key)).toHaveLength(1)
})
