import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { beginWalk, type DatasetSearch, findPlace } from '../../../db/datasets/search-datasets.ts'
import { type Place, walkOn } from '../../../db/datasets/search-plan.ts'
import * as datasetSearch from '../../../db/migrations/0008-dataset-search.ts'
import * as identifierSearch from '../../../db/migrations/0013-identifier-search.ts'
import { type Db, queryRows } from '../../../db/postgres/database.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

const MANY = 20_000

/** Those of the legs of a search by a term. */
const SEARCH_INDEXES = ['datasets_reference_search', 'datasets_client_search', 'datasets_device_search']

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

  const NONE = 'zzz'

  test.each([
    [{ prefix: 'LN-77' }, ['datasets_reference']],
    [{ deviceId: 'device-7' }, ['datasets_device']],
    [{ clientId: 'C-7' }, ['datasets_client']],
    [{ status: 'invalid' }, ['datasets_status']],
    [{ invalidCode: 'not_gzip' }, ['datasets_status']],
    [{ platform: 'web' }, ['datasets_pkey']],
    [{ since: '2026-01-05T00:00:00Z' }, ['datasets_pkey']],
    [{ term: 'ln-77' }, SEARCH_INDEXES],
    [{ term: 'L' }, SEARCH_INDEXES],
    [{ term: NONE }, SEARCH_INDEXES],
    [{ term: 'DEVICE-7', status: 'invalid' }, SEARCH_INDEXES],
    [{ term: 'device-7', deviceId: 'device-7' }, ['datasets_device']],
  ] as const)('%j by %j', async (query, indexes) => {
    const { legs } = await beginWalk(bench.db, bench.subscriptionId, query)
    expect(legs).toHaveLength(indexes.length)
    const place = await findPlace(bench.db, bench.subscriptionId, 'LN-777')
    for (const [at, { along, order, behind }] of legs.entries())
      for (const conditions of [along, [...along, behind(place as Place)]]) {
        const plan = await planOf(
          `select from datasets d where ${conditions.map(({ sql }) => sql).join(' and ')} order by ${order.forth} limit 50`,
          conditions.flatMap(({ bindings }) => bindings),
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
    const found = await walk({ term: 'aCMe' })
    expect(referencesOf(found)).toEqual(['acme-1', 'Acme-2', 'X-3', 'X-1', 'X-2'])
    expect(found.hasMore).toBe(false)
    expect(referencesOf(await walk({ term: 'acme ' }))).toEqual(['X-1'])
    expect(referencesOf(await walk({ term: '100%' }))).toEqual(['X-4'])
    expect(await walk({ term: '100_' })).toEqual({ records: [], through: undefined, hasMore: false })
  })

  test('has the newest first among equal identifiers', async () => {
    const found = await walk({ term: 'c-499' }, { limit: 3 })
    expect(referencesOf(found)).toEqual(['LN-19999', 'LN-19499', 'LN-18999'])
  })

  test('goes on behind any of its datasets', async () => {
    const walked: string[] = []
    let after: string | undefined
    do {
      const step = await walk({ term: 'acme' }, { limit: 1, ...(after !== undefined && { after }) })
      walked.push(...referencesOf(step))
      after = step.hasMore ? step.through?.referenceNumber : undefined
    } while (after !== undefined)
    expect(walked).toEqual(['acme-1', 'Acme-2', 'X-3', 'X-1', 'X-2'])
  })

  test('looks at no more rows than it is told in all its legs together', async () => {
    const first = await walk({ term: 'acme', platform: 'web' }, { rows: 3 })
    expect(first).toMatchObject({ records: [], hasMore: true, through: { referenceNumber: 'X-3' } })
    const rest = await walk({ term: 'acme', platform: 'web' }, { rows: 50, after: 'X-3' })
    expect(rest).toMatchObject({ records: [], hasMore: false })
  })

  test('compares the first 100 characters of longer identifiers', async () => {
    expect(referencesOf(await walk({ term: 'd'.repeat(100) }))).toEqual(['X-4'])
  })

  test('may be narrowed by a device, a client and how the reference number begins', async () => {
    expect(referencesOf(await walk({ term: 'x-', deviceId: 'acme-phone' }))).toEqual(['X-1'])
    expect(referencesOf(await walk({ term: 'acme', clientId: 'acme' }))).toEqual(['X-3'])
    expect(referencesOf(await walk({ term: 'acme', prefix: 'X' }))).toEqual(['X-3', 'X-1', 'X-2'])
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
  await identifierSearch.down(db)
  await datasetSearch.down(db)
  expect(await collation()).toEqual([{ name: null }])
  expect(await indexes()).toContain('datasets_reference_number')

  const key = await other.receive({})
  await db.raw(
    'create unique index concurrently datasets_device on datasets ((1), (length(device_id))) where false',
  )
  await db.raw(`update pg_index set indisvalid = false where indexrelid = 'datasets_device'::regclass`)
  for (const migration of [datasetSearch, datasetSearch, identifierSearch, identifierSearch])
    await migration.up(db)
  expect(await indexes()).toEqual(migrated)
  expect(await other.list(key)).toHaveLength(1)
})
