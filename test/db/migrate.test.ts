import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { migrateDatabase, requireMigrated } from '../../db/migrate-database.ts'
import * as datasetLife from '../../db/migrations/0002-dataset-life.ts'
import * as collectionInfoSaves from '../../db/migrations/0025-collection-info-saves.ts'
import * as identifierHashes from '../../db/migrations/0040-identifier-hashes.ts'
import { SCHEMA_VERSION } from '../../db/postgres/application-name.ts'
import { openDatabase } from '../../db/postgres/database.ts'
import { openProducer } from '../../db/queue/producer.ts'
import { createDatabase, dropDatabase } from '../support/databases.ts'
import { openTestDatabase } from '../support/stores.ts'

const ALL = [
  '0001-initial',
  '0002-dataset-life',
  '0003-key-prefix',
  '0004-scorecard-versions',
  '0005-score-counts',
  '0006-insights-checked-by-claim',
  '0007-accounts',
  '0008-dataset-search',
  '0009-scorecard-trials',
  '0010-pipeline-counts',
  '0011-session-ends',
  '0012-scorecard-names',
  '0013-identifier-search',
  '0014-collections',
  '0015-identity',
  '0016-audit-trail',
  '0017-scorecard-suspensions',
  '0018-factors',
  '0019-sso',
  '0020-encryption',
  '0021-limits',
  '0022-pruning',
  '0023-privacy',
  '0024-operators',
  '0025-collection-info-saves',
  '0026-opaque-ids',
  '0027-storage',
  '0028-pruning-bounds',
  '0030-capture-store',
  '0031-key-scopes',
  '0032-events',
  '0033-test-mode',
  '0043-daily-alerts',
  '0040-identifier-hashes',
]

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** An empty database: unlike other tests', it has no tables. */
async function openEmptyDatabase(): Promise<string> {
  const serverUrl = inject('postgresUrl')
  const name = `migrate_${randomBytes(6).toString('hex')}`
  await createDatabase(serverUrl, name)
  cleanups.push(() => dropDatabase(serverUrl, name))
  const url = new URL(serverUrl)
  url.pathname = name
  return url.href
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  cleanups.push(() => client.end())
  return client
}

const migrate = (url: string) => migrateDatabase({ url, poolMax: 2 })

async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema in ('public', 'bullmq') order by 1`,
  )
  return rows.map(({ name }) => name)
}

test('a first migration creates the tables and the schema of the queue, a second one changes nothing', async () => {
  const url = await openEmptyDatabase()
  const client = await connect(url)
  expect(await migrate(url)).toEqual({ applied: ALL })
  const tables = await listTables(client)
  expect(tables).toEqual(expect.arrayContaining(['public.datasets', 'public.insights', 'public.sightings']))
  expect(tables.some((name) => name.startsWith('bullmq.'))).toBe(true)

  await client.query("insert into subscriptions (name) values ('kept')")
  expect(await migrate(url)).toEqual({ applied: [] })
  expect(await listTables(client)).toEqual(tables)
  expect((await client.query('select name from subscriptions')).rows).toEqual([{ name: 'kept' }])

  const producer = openProducer({ database: { url, poolMax: 2 } })
  await producer.check()
  await producer.close()
})

test('a release that nobody blocks reports no wait, also not for its own look at the locks', async () => {
  const lines: string[] = []
  const report = (line: string) => void lines.push(line)
  await migrateDatabase({ url: await openEmptyDatabase(), poolMax: 2 }, undefined, { lockMs: 20, report })
  expect(lines).toEqual([])
})

test('a deferred migration waits until no process of an earlier version is connected', async () => {
  const url = await openEmptyDatabase()
  await migrate(url)
  const db = openDatabase({ url, poolMax: 2 })
  cleanups.push(() => db.destroy())
  const other = await connect(url)
  const indexes = async () =>
    (await db('pg_indexes').where({ tablename: 'datasets' }).pluck('indexname')).filter((name) =>
      ['datasets_device', 'datasets_client'].includes(name),
    )
  expect(await indexes()).toEqual([])
  await identifierHashes.down(db)
  await db('knex_migrations').where({ name: '0040-identifier-hashes' }).delete()
  for (const name of ['inkling', 'inkling 0039', 'inkling 0039 worker 0.1.0 0a1b2c3d']) {
    await other.query(`set application_name = '${name}'`)
    expect(await migrate(url)).toEqual({ applied: [], left: ['0040-identifier-hashes'] })
    expect(await indexes()).toHaveLength(2)
    await requireMigrated(db, pino({ level: 'silent' })) // a process of this version starts nevertheless
  }
  await other.query("set application_name = 'inkling 0040 web 0.2.0 0a1b2c3d'")
  expect(await migrate(url)).toEqual({ applied: ['0040-identifier-hashes'] })
  expect(await indexes()).toEqual([])
})

test('sessions are named by the newest migration of this version', () => {
  expect(SCHEMA_VERSION).toBe(
    ALL.map((name) => name.slice(0, 4))
      .toSorted()
      .at(-1),
  )
})

test('one of several concurrent calls migrates and the others wait for it', async () => {
  const url = await openEmptyDatabase()
  const results = await Promise.all(Array.from({ length: 4 }, () => migrate(url)))
  expect(results.map(({ applied }) => applied).toSorted((a, b) => b.length - a.length)).toEqual([
    ALL,
    [],
    [],
    [],
  ])
})

describe('while another session holds a lock', () => {
  const NAME = '0025-collection-info-saves'
  let url: string
  let holder: pg.Client
  let pid: number
  let lines: string[]
  const report = (line: string) => void lines.push(line)

  beforeEach(async () => {
    const stored = await openTestDatabase()
    cleanups.push(stored.drop)
    url = stored.ownerUrl
    const db = openDatabase({ url, poolMax: 2 })
    await collectionInfoSaves.down(db)
    await db('knex_migrations').where({ name: NAME }).delete()
    await db.destroy()
    holder = new pg.Client({ connectionString: url, application_name: 'a report' })
    await holder.connect()
    cleanups.push(() => holder.end())
    pid = (await holder.query('select pg_backend_pid() as pid')).rows[0].pid
    await holder.query('begin; select from collections')
    lines = []
  })

  test('a migration lets others pass, says whom it waits for, and is applied by one of two releases once the lock is free', async () => {
    const options = { lockMs: 400, report }
    const releases = Promise.all([1, 2].map(() => migrateDatabase({ url, poolMax: 2 }, undefined, options)))
    const other = await connect(url)
    const who = `process ${pid} \\(a report, role postgres, idle in transaction for \\d+ s, transaction open for \\d+ s\\)`
    await vi.waitFor(
      () => {
        expect(lines).toContainEqual(expect.stringMatching(`^Waits for a lock of ${who}$`))
        expect(lines).toContainEqual(
          expect.stringMatching(/^Waits for another release process, process \d+ of Postgres$/),
        )
      },
      { timeout: 20_000, interval: 20 },
    )
    for (let n = 0; n < 3; n++) {
      const begunAt = performance.now()
      await other.query('select from collections') // behind the exclusive lock that the migration waits for
      expect(performance.now() - begunAt).toBeLessThan(3_000)
    }
    await holder.query('commit')
    expect((await releases).map(({ applied }) => applied).toSorted()).toEqual([[], [NAME]])
  })

  test('a migration is given up, names the session, and is applied by the next release', async () => {
    await expect(
      migrateDatabase({ url, poolMax: 2 }, undefined, { lockMs: 200, giveUpMs: 500, report }),
    ).rejects.toThrow(`${NAME} needs a lock that others hold: process ${pid} (a report, role postgres, `)
    await holder.query('commit')
    expect(await migrate(url)).toEqual({ applied: [NAME] })
  })

  test('an index that is built concurrently waits, since nothing waits for it', async () => {
    const db = openDatabase({ url, poolMax: 2 }, { unlimited: true, lockMs: 100 })
    cleanups.push(() => db.destroy())
    await expect(db.raw('create index slow on collections (opened_at)')).resolves.toBeDefined()
    await holder.query('commit; begin; lock table collections in row exclusive mode')
    await expect(db.raw('create index blocked on collections (opened_at)')).rejects.toThrow('lock timeout')
    const built = db.raw('create index concurrently waits on collections (opened_at)')
    await delay(300)
    await holder.query('commit')
    await expect(built).resolves.toBeDefined()
    expect((await db.raw('show lock_timeout')).rows).toEqual([{ lock_timeout: '100ms' }])
  })
})

test('the lock row of a killed migration does not block the next one', async () => {
  const url = await openEmptyDatabase()
  await migrate(url)
  const client = await connect(url)
  await client.query('update knex_migrations_lock set is_locked = 1')
  expect(await migrate(url)).toEqual({ applied: [] })
  expect((await client.query('select is_locked from knex_migrations_lock')).rows).toEqual([{ is_locked: 0 }])
})

test('a release process killed midway leaves no tables, and the next one migrates', async () => {
  const url = await openEmptyDatabase()
  const inTheWay = await connect(url)
  const client = await connect(url)
  await inTheWay.query('begin; create table public.insights (of_somebody_else integer)')

  const release = spawn(process.execPath, ['db/migrate.ts'], {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, DATABASE_URL: url },
    stdio: 'ignore',
  })
  cleanups.push(async () => release.kill('SIGKILL'))
  await vi.waitFor(
    async () => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like '%create table%'`,
      )
      expect(rowCount).toBe(1)
    },
    { timeout: 40_000, interval: 20 }, // a process starts, beside those of other test files
  )
  release.kill('SIGKILL')
  await once(release, 'exit')
  expect(await listTables(client)).not.toContain('public.datasets')
  await inTheWay.query('rollback')

  expect(await migrate(url)).toEqual({ applied: ALL })
  expect(await listTables(client)).toContain('public.audit_events')
})

test('0002 waits for no running upload, reverts, and applies again', async () => {
  const url = await openEmptyDatabase()
  await migrate(url)
  const db = openDatabase({ url, poolMax: 2 })
  cleanups.push(() => db.destroy())
  const goBack = async () => {
    await datasetLife.down(db)
    await db('knex_migrations').where({ name: '0002-dataset-life' }).delete()
  }
  await goBack()
  expect(await db.schema.hasTable('dataset_events')).toBe(false)

  const client = await connect(url)
  await client.query("insert into subscriptions (name) values ('busy')")
  await client.query(
    "begin; insert into datasets (subscription_id, reference_number, data_hash) values (1, 'under way', '')",
  )
  expect(await migrate(url)).toEqual({ applied: ['0002-dataset-life'] })
  await client.query('commit')
  expect(await db('dataset_events').select()).toEqual([])
  await goBack()
  expect(await migrate(url)).toEqual({ applied: ['0002-dataset-life'] })
})

test('a release process prints the migrations applied, or what is wrong with its environment', async () => {
  const url = await openEmptyDatabase()
  const release = async (DATABASE_URL: string) => {
    const child = spawn(process.execPath, ['db/migrate.ts'], {
      cwd: new URL('../..', import.meta.url),
      env: { ...process.env, DATABASE_URL },
    })
    const output: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(String(data)))
    const [code] = await once(child, 'close')
    return { code, output: output.join('') }
  }
  const applied = await release(url)
  expect(applied).toMatchObject({ code: 0 })
  expect(applied.output.split('\n')).toContain(`Applied ${ALL.join(', ')}`)
  expect(await release(url)).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^The database is up to date\nWarning: DATABASE_OWNER_URL is not set, .*\n$/,
    ),
  })
  const { code, output } = await release('http://user:hunter2@db.example')
  expect(code).toBe(1)
  expect(output).toContain('DATABASE_URL: must be a URL')
  expect(output).not.toContain('hunter2')
})
