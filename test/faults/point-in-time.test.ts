import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { migrateDatabase } from '../../db/migrate-database.ts'
import { openDatabase, queryRows } from '../../db/postgres/database.ts'
import { anUpload } from '../support/captures.ts'
import { readByCode, upload } from '../support/client.ts'
import {
  type ArchivedPostgres,
  openArchivedPostgres,
  whyNotArchived,
} from '../support/faults/archived-postgres.ts'
import { commandsOf } from '../support/faults/guide-commands.ts'
import { recordResult } from '../support/faults/record-result.ts'
import { byLength } from '../support/faults/run-length.ts'
import { listInsights, listMiscounted, listReferences } from '../support/faults/stored-datasets.ts'
import { startUploadLoad } from '../support/faults/upload-load.ts'
import { killProcesses } from '../support/start-process.ts'
import { claimRedisUrl } from '../support/stores.ts'
import { startTestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

/** Rows of 15 KB besides the uploads: 0.3 GB in the long form. */
const STORED = byLength({ short: 0, long: 20_000 })

const reason = whyNotArchived()

test.skipIf(reason !== undefined)(
  `a lost Postgres is restored to a moment as documented: datasets up to it are there with their insights, those that waited are processed${reason ? ` (skipped: ${reason})` : ''}`,
  { timeout: byLength({ short: 120_000, long: 900_000 }) },
  async () => {
    await using server = await openArchivedPostgres()
    const database = { url: server.url, ownerUrl: server.ownerUrl, drop: async () => undefined }
    await migrateDatabase({ url: server.ownerUrl, poolMax: 2 }, { url: server.url, poolMax: 2 })
    await store(server, STORED)
    await server.paste(await commandsOf('Base backups and the write-ahead log'), {})

    const before = await startTestStack({ database })
    const [web, worker] = await Promise.all([before.startWeb(), before.startWorker()])
    const load = await startUploadLoad(before, { clients: 3, pauseMs: 50 })
    await load.untilAccepted(byLength({ short: 60, long: 300 }), 120_000)
    await worker.end('SIGKILL') // so that datasets wait at the moment
    await load.untilAccepted(20)
    await load.end()
    const [held, ready] = [await listReferences(before.db), await listInsights(before.db)]
    const [{ moment = '' } = {}] = await server.query<{ moment: string }>(
      "select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00') as moment",
    )
    await delay(10)
    const later = anUpload()
    expect((await upload(web.url, before.tenant.uploaderKey, later)).status).toBe(200)
    await before.startWorker()
    await before.expireEnqueueTimeouts()
    await before.untilProcessed(60_000)
    const archivedMs = await archive(server)
    await before[Symbol.asyncDispose]()
    await server.destroy()

    const lostAt = performance.now()
    const redisUrl = await claimRedisUrl()
    const commands = await commandsOf('Restore to a moment')
    const printed = await server.paste(commands.replace(/^moment='.*'$/m, `moment='${moment}'`), {
      ...before.env,
      DATABASE_URL: server.url,
      DATABASE_OWNER_URL: server.ownerUrl,
      REDIS_URL: redisUrl,
    })
    expect(printed).toMatch(
      /^systemctl stop .*web.*worker[\s\S]*The database is up to date\nsystemctl start .*web.*worker.*\n$/,
    )
    await using after = await startTestStack({ database, redisUrl })
    const { url } = await after.startWeb()
    const seconds = (performance.now() - lostAt) / 1_000
    expect((await listReferences(after.db)).toSorted()).toEqual(held.toSorted())
    expect(await listInsights(after.db)).toEqual(ready)
    expect(await after.countWaiting()).toBeGreaterThan(0)

    await after.startWorker()
    await after.expireEnqueueTimeouts()
    await after.untilProcessed(60_000)
    const drained = await listInsights(after.db)
    const processed = held.length - STORED // the first STORED datasets have no insights
    expect(drained).toHaveLength(processed)
    expect(await listMiscounted(after.db)).toEqual([])
    expect((await upload(url, before.tenant.uploaderKey, later)).status).toBe(200) // the client repeats it
    await after.untilProcessed(60_000)
    const read = await readByCode(url, before.tenant.requesterKey, later.referenceNumber)
    expect(read.status).toBe(200)

    const [{ gigabytes = 0 } = {}] = await server.query<{ gigabytes: number }>(
      "select round(pg_database_size('inkling') / 1e9, 2)::float8 as gigabytes",
    )
    const figures = `${gigabytes} GB, ${seconds.toFixed(1)} s; a segment of the log archived in ${(archivedMs / 1_000).toFixed(1)} s`
    process.stdout.write(`Restored to a moment: ${figures}\n`)
    recordResult({
      fault: `restored to a moment: ${figures}`,
      uploads: processed,
      kills: 1,
      lost: processed - drained.length,
    })
  },
)

/** Stores rows whose blobs do not compress, for measurements of larger databases. */
async function store({ ownerUrl, query }: ArchivedPostgres, rows: number): Promise<void> {
  if (rows === 0) return
  const db = openDatabase({ url: ownerUrl, poolMax: 1 }, { unlimited: true })
  await queryRows(db, "insert into subscriptions (name) values ('Stored before')")
  await queryRows(
    db,
    `with blobs as materialized (
       select n, (select decode(string_agg(md5(random()::text || n || m), ''), 'hex') from generate_series(1, 940) m) as blob
       from generate_series(0, 999) n
     )
     insert into datasets (subscription_id, reference_number, data_hash, status, blob)
     select (select id from subscriptions where name = 'Stored before'), 'stored-' || i, '', 'ready', blob
     from generate_series(1, ${rows}) i join blobs on n = i % 1000`,
  )
  await db.destroy()
  await query('checkpoint')
}

/** Ends the segment of the write-ahead log. @returns the time until it was archived. */
async function archive({ query }: ArchivedPostgres): Promise<number> {
  const begunAt = performance.now()
  const [{ segment = '' } = {}] = await query<{ segment: string }>(
    'select pg_walfile_name(pg_switch_wal()) as segment',
  )
  for (;;) {
    const [{ last = null } = {}] = await query<{ last: string | null }>(
      'select last_archived_wal as last from pg_stat_archiver',
    )
    if (last !== null && last >= segment) return performance.now() - begunAt
    await delay(50)
  }
}
