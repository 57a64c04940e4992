import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { expect, test } from 'vitest'
import { DEFERRED_MIGRATIONS } from '../../db/deferred-migrations.ts'
import { openDatabase } from '../../db/postgres/database.ts'
import { PROJECT } from '../support/start-process.ts'
import { readCatalog } from '../support/statements/distribution.ts'
import { findDangers, type Schema } from '../support/statements/find-dangers.ts'
import { openEmptyDatabase } from '../support/stores.ts'

/** Tables whose rows are as many as subscriptions, people, keys and scorecards, or these and days. */
const SMALL = [
  'api_keys',
  'audit_heads',
  'event_recording',
  'invitations',
  'retention_policies',
  'score_stability',
  'scorecard_versions',
  'site_keys',
  'subscriptions',
  'users',
]

/** Dangers of released migrations, which are not changed any more, each with the reason why it was taken. */
const ACCEPTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '0006-insights-checked-by-claim': {
    'locks datasets, insights':
      'for an instant, in the order of the workers; without it they and the migration would deadlock',
    'removes the constraint insights_subscription_id_dataset_id_fkey, which the version before may use':
      'the version before claims a dataset before it saves an insight, so it never relied on the key',
  },
  '0007-accounts': {
    'builds sessions_user on sessions under a lock: use concurrently':
      'sessions are as many as sign-ins of 30 days',
  },
  '0008-dataset-search': {
    'removes the index datasets_reference_number, which the version before may use':
      'another unique index on the same columns serves its statements',
    'drops datasets_reference_number under a lock: use concurrently':
      'in one transaction with the next statement, both for an instant',
    'changes the type of datasets.reference_number': 'only its collation; no row and no index is read',
  },
  '0011-session-ends': {
    'builds sessions_newest on sessions under a lock: use concurrently': '500,000 sessions took 0.6 s',
    'removes the index sessions_user, which the version before may use':
      'sessions_newest begins with the same columns',
    'drops sessions_user under a lock: use concurrently': 'for an instant',
    'builds sessions_end on sessions under a lock: use concurrently': '500,000 sessions took 0.6 s',
  },
  '0015-identity': {
    'removes the constraint users_email_key, which the version before may use':
      'users_email begins with the same column; the version before creates no second user with an e-mail',
  },
  '0016-audit-trail': {
    'checks all rows of audit_events.actor_kind under a lock': 'beside the next, which takes longer',
    'checks all rows of audit_events.outcome under a lock': 'beside the next, which takes longer',
    'copies rows of audit_events: let a worker do so, in steps':
      'the chain has to begin with the first event: 11 s for 300,000, during which only changes by admins wait',
  },
  '0028-pruning-bounds': {
    'removes the index sightings_at, which the version before may use':
      'replaced by sightings_time, which was built before and serves the same statements',
  },
}

interface Migration extends Knex.Migration {
  readonly config?: { readonly transaction?: boolean }
}

test('migrations run beside the version before: they block no table for longer with more rows, and remove nothing that it uses', async () => {
  const stored = await openEmptyDatabase()
  const db = openDatabase({ url: stored.url, poolMax: 2 }, { unlimited: true })
  const { volatileFunctions } = await readCatalog(db)
  const schema: Schema = {
    tables: new Set(),
    checks: new Map(),
    proven: new Set(),
    volatileFunctions: new Set([...volatileFunctions, 'next_opaque_id']),
    small: new Set(SMALL),
  }
  let statements: string[] = []
  db.on('query', ({ sql }: { sql: string }) => statements.push(sql))

  const all = readdirSync(join(PROJECT, 'db/migrations'))
    .filter((file) => /^\d{4}-/.test(file))
    .map((file) => file.replace('.ts', ''))
  const isDeferred = (name: string) => name in DEFERRED_MIGRATIONS
  const inOrder = [...all.filter((name) => !isDeferred(name)), ...all.filter(isDeferred)]
  const found: Record<string, string[]> = {}
  for (const name of inOrder) {
    const migration: Migration = await import(`../../db/migrations/${name}.ts`)
    statements = []
    await migration.up(db)
    const dangers = findDangers(statements, schema, {
      isDeferred: isDeferred(name),
      isTransaction: migration.config?.transaction !== false,
    })
    if (dangers.length > 0) found[name] = dangers
  }
  await db.destroy()
  await stored.drop()

  const accepted = Object.entries(ACCEPTED).map(([name, reasons]) => [name, Object.keys(reasons)])
  expect(found).toEqual(Object.fromEntries(accepted))
})

const empty = (): Schema => ({
  tables: new Set(['datasets', 'subscriptions']),
  checks: new Map(),
  proven: new Set(),
  volatileFunctions: new Set(['gen_random_uuid', 'clock_timestamp']),
  small: new Set(['subscriptions']),
})
const dangersOf = (sql: string, kind = { isDeferred: false, isTransaction: true }) =>
  findDangers([sql], empty(), kind)

test.each([
  'create index x on datasets (a)',
  'create unique index x on datasets (a)',
  'alter table datasets add column a uuid default gen_random_uuid()',
  "alter table datasets add column a timestamptz not null default clock_timestamp() + interval '1 day'",
  'alter table datasets add column a text generated always as (b) stored',
  'alter table datasets add column a integer generated always as identity',
  "alter table datasets add column a text check (a <> '')",
  'alter table datasets add column a text unique',
  'alter table datasets add column a text not null',
  'alter table subscriptions add column a text not null',
  'alter table datasets alter column a set not null',
  'alter table datasets alter column a type bigint',
  'alter table subscriptions alter column a type bigint',
  'alter table datasets add constraint c check (a > 0)',
  'alter table datasets add foreign key (a) references subscriptions',
  'alter table datasets add constraint c unique (a)',
  'alter table datasets add constraint c check (a > 0) not valid; alter table datasets validate constraint c',
  'alter table datasets drop column a',
  'alter table datasets drop constraint c',
  'alter table datasets rename column a to b',
  'alter table datasets rename to sets',
  'alter table datasets set unlogged',
  'drop table datasets',
  'drop index i',
  'drop index concurrently i',
  'drop trigger t on datasets',
  'drop function f',
  'lock table datasets in share mode',
  'update datasets set a = 1 where b > 2',
  'delete from datasets',
  'insert into subscriptions select a from datasets',
  'truncate datasets',
  'vacuum full datasets',
  'do $$ begin perform 1; end $$',
])('%s is found', (sql) => {
  expect(dangersOf(sql)).toHaveLength(sql === 'drop index i' ? 2 : 1)
})

test.each([
  'create index concurrently x on datasets (a)',
  'create index x on subscriptions (a)',
  "create table t (a text not null unique check (a <> ''), b uuid default gen_random_uuid()); create index x on t (a); insert into t values ('b')",
  'create table t (a text); alter table t alter column a set not null; drop table t',
  'alter table datasets add column a text, add column b integer not null default 7, add column c timestamptz default now()',
  'alter table subscriptions add column a uuid not null default gen_random_uuid() unique',
  'alter table datasets add constraint c check (a > 0) not valid',
  'alter table datasets add constraint c unique using index i',
  'alter table datasets validate constraint c',
  'alter table datasets alter column a drop not null, alter column b set default 1, set (fillfactor = 90)',
  'update subscriptions set a = 1',
  'create function f() returns integer language sql as $$ select 1 $$; drop function f()',
])('%s is free', (sql) => {
  expect(dangersOf(sql)).toEqual([])
})

test('a column is required in three migrations, and what the version before used is removed in a deferred one', () => {
  const schema = empty()
  const kind = { isDeferred: false, isTransaction: true }
  const steps = [
    'alter table datasets add constraint c check (a is not null) not valid',
    'alter table datasets validate constraint c',
    'alter table datasets alter column a set not null',
  ]
  expect(steps.map((sql) => findDangers([sql], schema, kind))).toEqual([[], [], []])
  const deferred = { isDeferred: true, isTransaction: false }
  expect(
    dangersOf('alter table datasets drop column a; drop index concurrently i; drop table datasets', deferred),
  ).toEqual([])
})
