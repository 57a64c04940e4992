import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Db, openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'
import { type Catalog, findFaults } from '../../support/statements/find-faults.ts'
import { readStatements, UNKNOWN_NAME } from '../../support/statements/read-statements.ts'
import { openTestDatabase, type TestDatabase } from '../../support/stores.ts'

/**
 * The tables that grow with datasets, which a database of several machines distributes by subscription. All others stay on one machine, with
 * `subscriptions`.
 *
 * @see docs/decisions/0019-statements-name-their-subscription.md
 */
const DISTRIBUTED = [
  'client_devices',
  'clients',
  'collection_segments',
  'collections',
  'dataset_events',
  'datasets',
  'devices',
  'insight_requests',
  'insights',
  'sightings',
]

/** A batch of datasets, reads or segments of several subscriptions: one round trip and one commit. Would be a statement for each. */
const BATCH = 'batch of several subscriptions'
/** Looks for what waits or is due in any subscription. Would be asked of each machine. */
const ALL = 'work of all subscriptions'
/** Keys of one subscription, which arrive as a list with it: the constant would be added. */
const ONE = 'keys of one subscription'
/** Names its subscription, and sets a time that differs from row to row. Would be sent as a parameter. */
const TIME = 'time of the clock'
/** The condition on the subscription is the first one of a list that is put together while the service runs. */
const BUILT = 'names its subscription in a list of conditions'

/** Statements that break the rules, by file and function, with the reason. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'db/collections/append-segments.ts': { insertSegments: BATCH },
  'db/collections/assembly.ts': { listCollected: BATCH, storeAssembled: BATCH },
  'db/collections/close-due.ts': { erase: ALL, lockDue: ALL, postpone: ALL },
  'db/collections/collections.ts': { findCollections: BATCH },
  'db/collections/complete-collections.ts': {
    complete: BATCH,
    findDatasets: BATCH,
    lockCollections: BATCH,
    lockStates: BATCH,
  },
  'db/collections/insert-datasets.ts': { insertCollectedDatasets: BATCH },
  'db/collections/open-collections.ts': { findReasons: BATCH, insertCollections: BATCH },
  'db/datasets/backlog.ts': { countWaiting: ALL, measureSubscriptionBacklog: ALL },
  'db/datasets/delete-datasets.ts': { deleteDatasets: ONE },
  'db/datasets/insights.ts': {
    listScoredVersions: BATCH,
    listWithOutcome: BATCH,
    recordRequests: BATCH,
    saveInsights: BATCH,
    selectInsights: BATCH,
  },
  'db/datasets/oldest-scan.ts': { findOldest: ALL },
  'db/datasets/outbox.ts': {
    claimDatasets: BATCH,
    claimTimedOut: ALL,
    expireEnqueueTimeouts: ALL,
    listRestorable: BATCH,
    listWaiting: BATCH,
    settleDatasets: BATCH,
  },
  'db/datasets/overdue-scan.ts': { findOverdue: ALL },
  'db/datasets/prune-records.ts': { listWithOldReads: ALL, pruneEvents: ALL },
  'db/datasets/prune-sightings.ts': { pruneSightings: ALL },
  'db/datasets/receive-datasets.ts': { findForRetry: BATCH, insertDatasets: BATCH },
  'db/datasets/requeue-datasets.ts': { listInOutbox: ALL, requeueDatasets: ONE },
  'db/datasets/rescore-datasets.ts': { saveRescored: TIME },
  'db/datasets/retention.ts': { listDueRetention: ALL },
  'db/datasets/search-plan.ts': { findOldestUpload: BUILT, scanIndex: BUILT },
  'db/datasets/velocity.ts': {
    addDatasets: BATCH,
    addPairs: BATCH,
    addSightings: BATCH,
    countWindows: BATCH,
  },
  'db/object-store/orphans.ts': { findOrphans: ALL },
  'db/privacy/delete-subscription.ts': { deleteNext: ALL },
  'db/privacy/erase-datasets.ts': { eraseDatasets: ONE },
}

let stored: TestDatabase
let db: Db
let catalog: Catalog

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 1 })
  const columns = await queryRows<{ table: string; names: string[] }>(
    db,
    sql`select table_name as table, json_agg(column_name::text)::jsonb as names from information_schema.columns
        where table_schema = 'public' group by 1`,
  )
  const functions = await queryRows<{ name: string }>(
    db,
    sql`select distinct proname as name from pg_proc where provolatile = 'v'`,
  )
  catalog = {
    columns: new Map(columns.map(({ table, names }) => [table, new Set(names)])),
    volatileFunctions: new Set(functions.map(({ name }) => name)),
    distributed: new Set([...DISTRIBUTED, UNKNOWN_NAME]),
  }
})
afterAll(async () => {
  await db.destroy()
  await stored.drop()
})

const ADVICE =
  'Restrict each table to one subscription by a parameter, or add the function to EXCEPTIONS with the reason; see docs/decisions/0019'

describe('every statement of db/', () => {
  const { statements, conditions } = readStatements(['db/'])

  test('is read', () => {
    expect(statements.length).toBeGreaterThan(500)
    // what else there is belongs to a search of datasets
    for (const { path, name, text } of conditions)
      if (/\b(from|join)\s/.test(text))
        expect(
          findFaults(`select from datasets d where d.subscription_id = $1 and (${text})`, catalog),
          `${path} ${name}`,
        ).toEqual([])
  })

  test('restricts distributed tables to one subscription, or is an exception', () => {
    const faults = new Map<string, Set<string>>()
    for (const { path, name, text } of statements)
      for (const fault of findFaults(text, catalog)) {
        const place = `${path} ${name}`
        faults.set(place, (faults.get(place) ?? new Set()).add(fault))
      }
    const excepted = new Set(
      Object.entries(EXCEPTIONS).flatMap(([path, names]) =>
        Object.keys(names).map((name) => `${path} ${name}`),
      ),
    )
    const unexpected = [...faults]
      .filter(([place]) => !excepted.has(place))
      .map(([place, found]) => `${place} ${[...found].join(', ')}`)
    expect(unexpected, ADVICE).toEqual([])
    expect(
      [...excepted].filter((place) => !faults.has(place)),
      'These are no exceptions any more: remove them',
    ).toEqual([])
  })
})

describe('the distributed tables', () => {
  const named = `'${DISTRIBUTED.join("', '")}'`

  test('refer to tables that stay on one machine only by these keys, which would be given up', async () => {
    const keys = await queryRows<{ key: string }>(
      db,
      `select conrelid::regclass || ' to ' || confrelid::regclass as key from pg_constraint
       where contype = 'f' and conrelid::regclass::text in (${named}) and confrelid::regclass::text not in (${named}) order by 1`,
    )
    expect(keys.map(({ key }) => key)).toEqual(['collections to site_keys', 'datasets to subscriptions'])
  })

  test('have only these triggers, which would be given up or allowed by a setting', async () => {
    const triggers = await queryRows<{ trigger: string }>(
      db,
      `select tgrelid::regclass || '.' || tgname as trigger from pg_trigger
       where not tgisinternal and tgrelid::regclass::text in (${named}) order by 1`,
    )
    expect(triggers.map(({ trigger }) => trigger)).toEqual([
      'datasets.capture_deleted',
      'datasets.capture_replaced',
    ])
  })

  test('are unique within a subscription, but for this index, which would become one', async () => {
    const indexes = await queryRows<{ index: string }>(
      db,
      `select i.indexrelid::regclass::text as index from pg_index i
       where i.indisunique and i.indrelid::regclass::text in (${named}) and not exists (
         select from pg_attribute a where a.attrelid = i.indrelid and a.attname = 'subscription_id' and a.attnum = any(i.indkey::int2[])
       ) order by 1`,
    )
    expect(indexes.map(({ index }) => index)).toEqual(['collections_public_id_key'])
  })
})

describe('the check', () => {
  test.each([
    ['select from datasets where subscription_id = $1 and id = $2'],
    ['select from datasets d where d.subscription_id = 7'],
    ['select from datasets d join insights i using (subscription_id) where i.subscription_id = $1'],
    [
      'select from datasets d, lateral (select from insights i where i.subscription_id = d.subscription_id) i where d.subscription_id = $1',
    ],
    [
      'with k as (select * from datasets where subscription_id = $1) select from insights i join k on i.subscription_id = k.subscription_id',
    ],
    ['insert into sightings (kind, subscription_id) values ($1, $2)'],
    [
      'insert into sightings (kind, subscription_id) select $1, d.subscription_id from datasets d where d.subscription_id = $2',
    ],
    ['update datasets d set status = $1 from (select 1) v where d.subscription_id = $2'],
    ['select from datasets where (subscription_id, id) in (select $1::integer, $2)'],
    ['delete from insights where subscription_id = $1 returning clock_timestamp()'],
    ['select from subscriptions'],
  ])('accepts %s', (text) => {
    expect(findFaults(text, catalog)).toEqual([])
  })

  test.each([
    ['select from datasets where id = $1'],
    ['select from datasets where subscription_id = $1 or true'],
    ['select from datasets where subscription_id = any($1)'],
    ['select from datasets where subscription_id > $1'],
    ['select from subscriptions s where exists (select from datasets d where d.subscription_id = s.id)'],
    ['select from datasets d join insights i using (subscription_id)'],
    ['select from datasets d join unnest($1::integer[]) k (subscription_id) using (subscription_id)'],
    [
      'select from datasets d where d.subscription_id = $1 and exists (select from insights i where i.dataset_id = d.id)',
    ],
    ['insert into sightings (kind, subscription_id) values ($1, $2), ($3, $4)'],
    ['insert into sightings (kind, subscription_id) select kind, subscription_id from sightings'],
    ['with gone as (delete from datasets returning id) select from gone'],
    ['update datasets set settled_at = clock_timestamp() where subscription_id = $1'],
    ['delete from sightings where subscription_id = $1 and ctid = $2'],
  ])('rejects %s', (text) => {
    expect(findFaults(text, catalog)).not.toEqual([])
  })
})
