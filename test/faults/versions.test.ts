import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { inForm, isLong } from '../support/faults/form.ts'
import { findOldCommit, openOldVersion } from '../support/faults/old-version.ts'
import { startStorm } from '../support/faults/storm.ts'
import { killProcesses, paasEnv, runRelease, startProcess } from '../support/start-process.ts'
import { openEmptyDatabase } from '../support/stores.ts'
import { startTestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

const NOT_MIGRATED = 'The database is not migrated: run the release process, scripts/node db/migrate.ts'

/** The relay enqueues the datasets of a killed worker again after 15 s. */
const RELAYED_MS = 40_000

const SOME = inForm({ short: { clients: 3, pauseMs: 50 }, long: { clients: 8, pauseMs: 30 } })

const old = findOldCommit()
if (!old)
  process.stdout.write(
    'The history does not have the commit before the newest migration, so that no older version can run beside this one\n',
  )

describe.concurrent('versions side by side', { timeout: 240_000 }, () => {
  test('a later version migrates in the middle of a storm: this one goes on, and starts on its tables', async () => {
    await using stack = await startTestStack()
    const processes = await Promise.all([stack.startWeb(), stack.startWorker()])
    const storm = await startStorm(stack, SOME)
    await storm.untilHeld(20)
    for (let version = 0; version < inForm({ short: 1, long: 8 }); version++) {
      await migrateAhead(stack.databaseUrl, version)
      await storm.untilHeld(20)
    }
    expect(storm).toMatchObject({ refused: 0, broken: 0 })
    for (const process of processes) expect(await process.end('SIGTERM')).toMatchObject({ code: 0 })
    const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
    await storm.untilHeld(20)
    await storm.end()
    if (!isLong) await stack.expireEnqueueTimeouts() // the long form waits for the relay, as it is
    await storm.expectHeld({ fault: 'migrated by a later version', withinMs: RELAYED_MS })
    for (const process of [web, worker])
      expect(process.logged().filter(({ level }) => level > 30)).toEqual([])
    expect(await runRelease(stack.env)).toEqual({ code: 0, output: 'The database is up to date\n' })
  })

  test.skipIf(!old)(
    'the version before the newest migration, this one beside it, and the migration in between: nothing is lost',
    async () => {
      if (!old) throw new Error('skipped')
      await using before = await openOldVersion(old)
      const database = await openEmptyDatabase()
      const direct = paasEnv({ databaseUrl: database.url })
      expect(await runRelease(direct, before.project)).toMatchObject({ code: 0 })
      await using stack = await startTestStack({ database, openTenant: () => before.openTenant(direct) })

      // before the release process has run, this version does not start
      const early = startProcess('web', stack.env)
      expect(await early.ended).toMatchObject({ code: 1 })
      expect(early.logged().at(-1)?.msg).toBe(NOT_MIGRATED)

      const oldProcesses = await Promise.all([
        stack.startWeb({}, before.project),
        stack.startWorker({}, before.project),
      ])
      const storm = await startStorm(stack, SOME)
      await storm.untilHeld(20, 30_000)
      const release = await runRelease(stack.env)
      expect(release).toEqual({ code: 0, output: expect.stringContaining(before.newestMigration) })
      await storm.untilHeld(20, 30_000) // on the new tables, by the old version alone

      await Promise.all([stack.startWeb(), stack.startWorker()])
      await storm.untilHeld(40, 30_000)
      for (const process of oldProcesses) expect(await process.end('SIGTERM')).toMatchObject({ code: 0 })
      await storm.untilHeld(20, 30_000)

      // rolled back: the old version starts on the new tables
      const again = await stack.startWorker({}, before.project)
      await storm.untilHeld(20, 30_000)
      await storm.end()
      if (!isLong) await stack.expireEnqueueTimeouts()
      await storm.expectHeld({
        fault: 'old and new version side by side, migrated in between',
        withinMs: RELAYED_MS,
      })
      expect(await again.end('SIGTERM')).toMatchObject({ code: 0 })

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

/** As a release process of a version to come: it adds to the tables that every upload and every group writes. */
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
    await delay(500) // so that uploads and groups come to wait for it
    await client.query(
      `insert into knex_migrations (name, batch, migration_time) values ('9${version}-later', 900, now())`,
    )
    await client.query('commit')
  } finally {
    await client.end()
  }
}
