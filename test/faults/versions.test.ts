import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { readMigrations } from '../../db/migrate-database.ts'
import { queryRows } from '../../db/postgres/database.ts'
import { type FeedEvent, startFeedReader } from '../support/faults/feed-reader.ts'
import { findOldCommit, openOldVersion } from '../support/faults/old-version.ts'
import { byLength, isLong } from '../support/faults/run-length.ts'
import { startUploadLoad } from '../support/faults/upload-load.ts'
import type { Tenant } from '../support/service.ts'
import { killProcesses, paasEnv, runRelease, startProcess } from '../support/start-process.ts'
import { openEmptyDatabase } from '../support/stores.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

const NOT_MIGRATED = 'The database is not migrated: run the release process, scripts/node db/migrate.ts'

/** Batches in flight in a killed or drained worker are enqueued again after 15 s. */
const RELAYED_MS = 40_000

const SOME = byLength({ short: { clients: 3, pauseMs: 150 }, long: { clients: 8, pauseMs: 30 } })

const old = findOldCommit()
if (!old)
  process.stdout.write('Skipped: the git history does not contain the commit before the newest migration\n')

describe.concurrent('versions side by side', { timeout: 240_000 }, () => {
  test('a later version migrates under load: this version continues, and starts on the migrated tables', async () => {
    await using stack = await startTestStack()
    const processes = await Promise.all([stack.startWeb(), stack.startWorker()])
    const load = await startUploadLoad(stack, SOME)
    await load.untilAccepted(20)
    for (let version = 0; version < byLength({ short: 1, long: 8 }); version++) {
      await migrateAhead(stack.ownerUrl, version)
      await load.untilAccepted(20)
    }
    expect(load).toMatchObject({ rejected: 0, disconnected: 0 })
    for (const process of processes) expect(await process.end('SIGTERM')).toMatchObject({ code: 0 })
    const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
    await load.untilAccepted(20)
    await load.end()
    if (!isLong) await stack.expireEnqueueTimeouts() // the long run waits for the relay
    await load.expectProcessedOnce({ fault: 'migrated by a later version', withinMs: RELAYED_MS })
    for (const process of [web, worker])
      expect(process.logged().filter(({ level }) => level > 30)).toEqual([])
    const release = await runRelease({ ...stack.env, DATABASE_OWNER_URL: stack.ownerUrl })
    expect(release).toEqual({ code: 0, output: 'The database is up to date\n' })
  })

  test.skipIf(!old)(
    'the version before the newest migration and this version run side by side during the migration: nothing is lost, and no event is skipped',
    async () => {
      if (!old) throw new Error('skipped')
      await using before = await openOldVersion(old)
      const database = await openEmptyDatabase()
      const direct = paasEnv({ databaseUrl: database.url })
      expect(await runRelease(direct, before.project)).toMatchObject({ code: 0 })
      const tenants: Tenant[] = []
      let eventKey = ''
      const openTenant = async () => {
        const tenant = await before.openTenant(direct)
        if (tenants.push(tenant) === 2) eventKey = await before.createEventKey(direct, tenant) // the first one of the load
        return tenant
      }
      await using stack = await startTestStack({ database, openTenant })
      const { pending, deferred } = await readMigrations(stack.db)
      expect(pending).toContain(before.newestMigration)

      // this version does not start before the release process has run
      const early = startProcess('web', stack.env)
      expect(await early.ended).toMatchObject({ code: 1 })
      expect(early.logged().at(-1)?.msg).toBe(NOT_MIGRATED)

      const oldProcesses = await Promise.all([
        stack.startWeb({}, before.project),
        stack.startWorker({}, before.project),
      ])
      const load = await startUploadLoad(stack, SOME)
      const feed = startFeedReader(stack, eventKey)
      await load.untilAccepted(20, 30_000)
      // and makes two roles of one, as docs/operations/server.md says
      const { username, password } = new URL(inject('runtimeUrl'))
      const runtimeUrl = Object.assign(new URL(stack.env.DATABASE_URL ?? ''), { username, password }).href
      const asRuntime = { DATABASE_URL: runtimeUrl }
      const release = await runRelease({
        ...stack.env,
        ...asRuntime,
        DATABASE_OWNER_URL: database.ownerUrl,
      })
      expect(release.code).toBe(0)
      const lines = release.output.trimEnd().split('\n')
      const waits = lines.filter((line) => line.startsWith('Waits for a lock of process '))
      expect(lines.filter((line) => !waits.includes(line))).toEqual([
        `Applied ${pending.join(', ')}`,
        ...deferred.map(
          (name) =>
            `Left ${name}: a process of an earlier version is connected. Run the release process again once none is`,
        ),
      ])
      await load.untilAccepted(20, 30_000) // the old version alone, on the new tables

      await Promise.all([stack.startWeb(asRuntime), stack.startWorker(asRuntime)])
      await load.untilAccepted(40, 30_000)
      for (const process of oldProcesses) expect(await process.end('SIGTERM')).toMatchObject({ code: 0 })
      await load.untilAccepted(20, 30_000)

      // rollback: the old version starts on the new tables
      const again = await stack.startWorker(asRuntime, before.project)
      await load.untilAccepted(20, 30_000)
      await load.end()
      if (!isLong) await stack.expireEnqueueTimeouts()
      await load.expectProcessedOnce({
        fault: 'old and new version side by side, migrated in between',
        withinMs: RELAYED_MS,
      })
      expect(await again.end('SIGTERM')).toMatchObject({ code: 0 })
      const last = await runRelease({ ...stack.env, ...asRuntime, DATABASE_OWNER_URL: database.ownerUrl })
      const applied = deferred.length === 0 ? 'The database is up to date' : `Applied ${deferred.join(', ')}`
      expect(last).toEqual({ code: 0, output: `${applied}\n` })
      await expectEveryEvent(stack, tenants[1] as Tenant, await feed.end())

      const [insights] = await queryRows<{ all: number; scored: number; whole: number }>(
        stack.db,
        `select count(*)::int as all,
            count(*) filter (where json_array_length(scores) = 1 and scores -> 0 ->> 'value' is not null)::int as scored,
            count(*) filter (where json_array_length(fragments) = 3)::int as whole
     from insights`,
      )
      expect(insights).toEqual({ all: insights?.all, scored: insights?.all, whole: insights?.all })
    },
  )
})

/** Expects that each dataset was reported as received, and then as ready, once. */
async function expectEveryEvent(
  { db }: TestStack,
  { subscriptionId }: Tenant,
  events: readonly FeedEvent[],
): Promise<void> {
  const uploaded: string[] = await db('datasets')
    .where({ subscription_id: subscriptionId })
    .pluck('reference_number')
  const byName = Map.groupBy(events, ({ data }) => data.referenceNumber)
  const reported = [...byName].map(([name, own]) => [name, ...own.map(({ type }) => type)].join(' '))
  const expected = uploaded.map((name) => `${name} dataset.received dataset.ready`)
  expect(reported.toSorted()).toEqual(expected.toSorted())
}

/** Migrates like the release process of a future version: changes the tables that every upload and every batch writes. */
async function migrateAhead(url: string, version: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`begin;
      alter table datasets add column later_${version} text, add column later_by_default_${version} integer not null default 7;
      alter table insights add column later_${version} jsonb;
      alter table devices add column later_${version} bigint;
      create table later_${version} (id integer primary key);
      create index datasets_later_${version} on datasets (subscription_id, later_${version});`)
    await delay(500) // so that uploads and batches wait for it
    await client.query(
      `insert into knex_migrations (name, batch, migration_time) values ('9${version}-later', 900, now())`,
    )
    await client.query('commit')
  } finally {
    await client.end()
  }
}
