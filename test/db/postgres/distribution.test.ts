import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Db, openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { DISTRIBUTED, listExceptions, readCatalog } from '../../support/statements/distribution.ts'
import { type Catalog, findFaults } from '../../support/statements/find-faults.ts'
import { readStatements } from '../../support/statements/read-statements.ts'
import { openTestDatabase, type TestDatabase } from '../../support/stores.ts'

let stored: TestDatabase
let db: Db
let catalog: Catalog

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 1 })
  catalog = await readCatalog(db)
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
    const unexpected = [...faults]
      .filter(([place]) => !listExceptions().includes(place))
      .map(([place, found]) => `${place} ${[...found].join(', ')}`)
    expect(unexpected, ADVICE).toEqual([])
    expect(
      listExceptions().filter((place) => !faults.has(place)),
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
