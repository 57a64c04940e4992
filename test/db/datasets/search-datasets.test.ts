import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DatasetSearch, findCursor, planSearch } from '../../../db/datasets/search-datasets.ts'
import { type Cursor, scanNext } from '../../../db/datasets/search-plan.ts'
import * as datasetSearch from '../../../db/migrations/0008-dataset-search.ts'
import * as identifierSearch from '../../../db/migrations/0013-identifier-search.ts'
import * as identifierHashes from '../../../db/migrations/0040-identifier-hashes.ts'
import { type Db, queryRows } from '../../../db/postgres/database.ts'
import { join, raw, type Sql, sql } from '../../../db/postgres/sql.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

const MANY = 20_000

/** The indexes that a search by a term scans. */
const SEARCH_INDEXES = ['datasets_reference_search', 'datasets_client_search', 'datasets_device_search']

/** Datasets one minute after the other, from midnight of the first of January; every other one belongs to another subscription. */
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
  await fill(bench.owner, bench.subscriptionId, await bench.openSubscription())
})
afterAll(() => bench.close())

const search = async (
  filters: DatasetSearch,
  options: { rows?: number; limit?: number; after?: string } = {},
) =>
  scanNext(bench.db, await planSearch(bench.db, bench.subscriptionId, filters), {
    after:
      options.after === undefined
        ? undefined
        : await findCursor(bench.db, bench.subscriptionId, options.after),
    rows: options.rows ?? 50,
    limit: options.limit ?? 50,
  })
const referencesOf = ({ records }: { records: readonly { referenceNumber: string }[] }) =>
  records.map(({ referenceNumber }) => referenceNumber)

test('a search reads no more rows than its limit and returns the last one it read', async () => {
  const { db, subscriptionId } = bench
  const first = await search({ platform: 'web' }, { rows: 1_000 })
  expect(first).toMatchObject({ records: [], hasMore: true, cursor: { referenceNumber: 'LN-19000' } })
  const plan = await planSearch(db, subscriptionId, { platform: 'web' })
  const last = await scanNext(db, plan, { after: first.cursor, rows: MANY, limit: 50 })
  expect(last).toMatchObject({ records: [], hasMore: false, cursor: { referenceNumber: 'LN-0' } })
})

test('a search that found enough continues after the last result', async () => {
  const found = await search({ status: 'ready' }, { rows: 1_000, limit: 3 })
  expect(referencesOf(found)).toEqual(['LN-19999', 'LN-19998', 'LN-19997'])
  expect(found).toMatchObject({ hasMore: true, cursor: { referenceNumber: 'LN-19997' } })
})

test('a time is found by binary search, exact to the dataset, whatever other subscriptions upload', async () => {
  const day = { since: '2026-01-05T00:00:00Z', until: '2026-01-06T00:00:00Z' }
  const found = await search(day, { rows: 10_000, limit: 10_000 })
  expect(found.hasMore).toBe(false)
  expect(referencesOf(found)).toEqual(Array.from({ length: 24 * 60 }, (_, n) => `LN-${5 * 24 * 60 - 1 - n}`))
  // nothing before or after it was read
  expect(found.cursor?.referenceNumber).toBe('LN-5759')
  for (const none of [{ since: '2027-01-01T00:00:00Z' }, { until: '2025-01-01T00:00:00Z' }])
    expect(await search(none)).toEqual({ records: [], cursor: undefined, hasMore: false })
})

test('an upload time that is slightly out of order is found', async () => {
  const late = { referenceNumber: 'LN-9000' }
  const update = (at: string) =>
    queryRows(
      bench.db,
      'update datasets set uploaded_at = ? where subscription_id = ? and reference_number = ?',
      [at, bench.subscriptionId, late.referenceNumber],
    )
  await update('2026-01-07T06:00:59.5Z') // as if it had been uploaded after the next one
  const found = await search({ since: '2026-01-07T06:00:58Z', until: '2026-01-07T06:01:00Z' })
  expect(referencesOf(found)).toEqual(['LN-9000'])
  await update('2026-01-07T06:00:00Z')
})

describe('a search uses its index, whatever the locale of the database', () => {
  const planOf = async (query: Sql) => {
    const lines = await bench.db.transaction(async (trx) => {
      await queryRows(trx, sql`set local enable_bitmapscan = off`)
      return queryRows<{ 'QUERY PLAN': string }>(trx, sql`explain ${query}`)
    })
    return lines.map((line) => line['QUERY PLAN']).join('\n')
  }

  const NONE = 'zzz'

  test.each([
    [{ prefix: 'LN-77' }, ['datasets_reference']],
    [{ deviceId: 'device-7' }, ['datasets_device_search']],
    [{ deviceId: 'device-7', since: '2026-01-05T00:00:00Z' }, ['datasets_device_search']],
    [{ clientId: 'C-7' }, ['datasets_client_search']],
    [{ status: 'invalid' }, ['datasets_status']],
    [{ invalidCode: 'not_gzip' }, ['datasets_status']],
    [{ platform: 'web' }, ['datasets_pkey']],
    [{ since: '2026-01-05T00:00:00Z' }, ['datasets_pkey']],
    [{ term: 'ln-77' }, SEARCH_INDEXES],
    [{ term: 'L' }, SEARCH_INDEXES],
    [{ term: NONE }, SEARCH_INDEXES],
    [{ term: 'DEVICE-7', status: 'invalid' }, SEARCH_INDEXES],
    [{ term: 'device-7', deviceId: 'device-7' }, ['datasets_device_search']],
  ] as const)('%j by %j', async (query, indexes) => {
    const { scans } = await planSearch(bench.db, bench.subscriptionId, query)
    expect(scans).toHaveLength(indexes.length)
    const cursor = await findCursor(bench.db, bench.subscriptionId, 'LN-777')
    for (const [at, { indexConditions, order, after }] of scans.entries())
      for (const conditions of [indexConditions, [...indexConditions, after(cursor as Cursor)]]) {
        const plan = await planOf(
          sql`select from datasets d where ${join(conditions, ' and ')} order by ${raw(order.forward)} limit 50`,
        )
        expect(plan).toMatch(new RegExp(`Index (Only )?Scan.* using ${indexes[at]} `))
        expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
      }
  })
})

describe('a search by a term', () => {
  const long = 'D'.repeat(150)

  beforeAll(async () => {
    await queryRows(
      bench.db,
      `insert into datasets (subscription_id, reference_number, data_hash, status, device_id, additional_info)
       select ?, reference, '', 'ready', device, case when client is null then '{}' else jsonb_build_object('clientId', client) end
       from (values ('Acme-2', 'phone-A', 'ACME'), ('acme-1', null, null), ('X-1', 'acme-phone', 'Acme Ltd'),
                    ('X-2', 'ACME-PHONE', null), ('X-3', null, 'acme'), ('X-4', ?, '100%')) v (reference, device, client)`,
      [bench.subscriptionId, long],
    )
  })

  test('finds reference numbers, then clients, then devices that begin with it, in either case and each dataset once', async () => {
    const found = await search({ term: 'aCMe' })
    expect(referencesOf(found)).toEqual(['acme-1', 'Acme-2', 'X-3', 'X-1', 'X-2'])
    expect(found.hasMore).toBe(false)
    expect(referencesOf(await search({ term: 'acme ' }))).toEqual(['X-1'])
    expect(referencesOf(await search({ term: '100%' }))).toEqual(['X-4'])
    expect(await search({ term: '100_' })).toEqual({ records: [], cursor: undefined, hasMore: false })
  })

  test('returns the newest first among equal identifiers', async () => {
    const found = await search({ term: 'c-499' }, { limit: 3 })
    expect(referencesOf(found)).toEqual(['LN-19999', 'LN-19499', 'LN-18999'])
  })

  test('continues after any of its datasets', async () => {
    const references: string[] = []
    let after: string | undefined
    do {
      const page = await search({ term: 'acme' }, { limit: 1, ...(after !== undefined && { after }) })
      references.push(...referencesOf(page))
      after = page.hasMore ? page.cursor?.referenceNumber : undefined
    } while (after !== undefined)
    expect(references).toEqual(['acme-1', 'Acme-2', 'X-3', 'X-1', 'X-2'])
  })

  test('reads no more rows than its limit in all its scans together', async () => {
    const first = await search({ term: 'acme', platform: 'web' }, { rows: 3 })
    expect(first).toMatchObject({ records: [], hasMore: true, cursor: { referenceNumber: 'X-3' } })
    const rest = await search({ term: 'acme', platform: 'web' }, { rows: 50, after: 'X-3' })
    expect(rest).toMatchObject({ records: [], hasMore: false })
  })

  test('compares the first 100 characters of longer identifiers', async () => {
    expect(referencesOf(await search({ term: 'd'.repeat(100) }))).toEqual(['X-4'])
  })

  test('is exact for a device or a client, which may differ in case or after 100 characters, newest first and by time', async () => {
    expect(referencesOf(await search({ deviceId: 'acme-phone' }))).toEqual(['X-1'])
    expect(referencesOf(await search({ deviceId: 'ACME-PHONE' }))).toEqual(['X-2'])
    expect(referencesOf(await search({ deviceId: long }))).toEqual(['X-4'])
    expect(referencesOf(await search({ deviceId: long.slice(0, 120) }))).toEqual([])
    expect(referencesOf(await search({ clientId: 'acme' }))).toEqual(['X-3'])
    const days = { since: '2026-01-03T00:00:00Z', until: '2026-01-06T00:00:00Z' }
    const found = await search({ deviceId: 'device-7', ...days }, { limit: 2 })
    expect(referencesOf(found)).toEqual(['LN-7007', 'LN-6007'])
    const rest = await search({ deviceId: 'device-7', ...days }, { after: 'LN-6007' })
    expect(referencesOf(rest)).toEqual(['LN-5007', 'LN-4007', 'LN-3007'])
  })

  test('can be combined with a device, a client and a prefix of the reference number', async () => {
    expect(referencesOf(await search({ term: 'x-', deviceId: 'acme-phone' }))).toEqual(['X-1'])
    expect(referencesOf(await search({ term: 'acme', clientId: 'acme' }))).toEqual(['X-3'])
    expect(referencesOf(await search({ term: 'acme', prefix: 'X' }))).toEqual(['X-3', 'X-1', 'X-2'])
  })
})

test('the migrations revert, apply again, and repair the indexes of an interrupted attempt', async () => {
  await using other = { ...(await openWorkbench()), [Symbol.asyncDispose]: () => other.close() }
  const { owner: db } = other
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
  await identifierSearch.down(db)
  await datasetSearch.down(db)
  expect(await collation()).toEqual([{ name: null }])
  expect(await indexes()).toContain('datasets_reference_number')

  const key = await other.receive({})
  await db.raw(
    'create unique index concurrently datasets_device on datasets ((1), (length(device_id))) where false',
  )
  await db.raw(`update pg_index set indisvalid = false where indexrelid = 'datasets_device'::regclass`)
  const { up } = identifierHashes
  for (const migration of [datasetSearch, datasetSearch, identifierSearch, identifierSearch, { up }])
    await migration.up(db)
  expect(await indexes()).toEqual(migrated)
  expect(await other.list(key)).toHaveLength(1)
})
