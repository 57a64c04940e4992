import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Db, queryRows } from '../../db/database.ts'
import { anUpload } from '../captures.ts'
import { readByCode, upload } from '../client.ts'
import { createDatabase, dropDatabase } from '../databases.ts'
import { openHouse } from '../open-house.ts'
import { killProcesses, PROJECT, paasEnv, runRelease } from '../start-process.ts'
import type { TestDatabase } from '../stores.ts'
import { type DumpablePostgres, openDumpablePostgres, whyNotDumpable } from './dumpable-postgres.ts'
import { recordFigure } from './figures.ts'
import { inForm } from './form.ts'
import { startStorm } from './storm.ts'

afterAll(killProcesses)

async function openDatabaseOn(server: DumpablePostgres, name: string): Promise<TestDatabase> {
  await createDatabase(server.url, name)
  const url = new URL(server.url)
  url.pathname = name
  return { url: url.href, drop: () => dropDatabase(server.url, name) }
}

/** What docs/backup.md has an operator write behind a tool's name, with these values in place of its own. */
async function argumentsOf(tool: string, values: Record<string, string>): Promise<string[]> {
  const guide = await readFile(join(PROJECT, 'docs/backup.md'), 'utf8')
  const [, written = ''] = new RegExp(`^${tool} (.*)$`, 'm').exec(guide) ?? []
  expect(written).not.toBe('')
  return written
    .split(' ')
    .map((word) =>
      Object.entries(values).reduce(
        (text, [name, value]) => text.replace(name, value),
        word.replaceAll('"', ''),
      ),
    )
}

interface Insight {
  readonly reference: string
  readonly text: string
}

const listInsights = (db: Db): Promise<Insight[]> =>
  queryRows(
    db,
    `select d.subscription_id || ' ' || d.reference_number as reference,
            d.velocity::text || i.calculated_at || i.scores || i.fragments || i.features || i.explanations as text
     from datasets d join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id
     order by d.subscription_id, d.id`,
  )

const listReferences = async (db: Db): Promise<string[]> =>
  (
    await queryRows<{ reference: string }>(
      db,
      "select subscription_id || ' ' || reference_number as reference from datasets",
    )
  ).map(({ reference }) => reference)

/** Devices and clients whose datasets do not have exactly the places 1 to N, or whose counter says another N. */
const listMiscounted = (db: Db): Promise<unknown[]> =>
  queryRows(
    db,
    `with places as (
       select subscription_id, kind, velocity -> kind as place,
              sha256(convert_to(case kind when 'device' then device_id else velocity -> 'client' ->> 'id' end, 'UTF8')) as key
       from datasets cross join unnest(array['device', 'client']) kind where velocity -> kind <> 'null'
     ), counted as (
       select subscription_id, kind, key, count(*) as datasets, count(distinct place -> 'datasets') as places,
              max((place ->> 'datasets')::int) as last
       from places group by 1, 2, 3
     ), counters as (
       select subscription_id, 'device' as kind, device_key as key, datasets from devices
       union all select subscription_id, 'client', client_key, datasets from clients
     )
     select * from counted full join counters k using (subscription_id, kind, key)
     where (counted.datasets, counted.places, counted.last) is distinct from (k.datasets::bigint, k.datasets::bigint, k.datasets)`,
  )

const reason = whyNotDumpable()

test.skipIf(reason !== undefined)(
  `a dump of the live system is a whole one: restored, it drains to the same insights${reason ? ` (not tried: ${reason})` : ''}`,
  { timeout: 180_000 },
  async () => {
    await using server = await openDumpablePostgres()
    const directory = await mkdtemp(join(tmpdir(), 'inkling-backup-'))
    const file = join(directory, 'inkling.dump')
    const live = await openDatabaseOn(server, 'live')
    expect(await runRelease(paasEnv({ databaseUrl: live.url }))).toMatchObject({ code: 0 })
    await using house = await openHouse({ database: live })
    const web = await house.startWeb()
    const worker = await house.startWorker()

    const mine = anUpload()
    expect((await upload(web.url, house.tenant.uploaderKey, mine)).status).toBe(200)
    const storm = await startStorm(house)
    await storm.untilHeld(inForm({ short: 100, long: 1_000 }))
    await worker.end('SIGKILL') // so that the dump has datasets that wait, and of a group half-way
    await storm.untilHeld(50)
    const [heldBefore, readyBefore] = [await listReferences(house.db), await listInsights(house.db)]
    await house.startWorker()
    const dump = { 'inkling.dump': file, $DATABASE_URL: live.url }
    await server.tool('pg_dump', ...(await argumentsOf('pg_dump', dump)))
    await storm.untilHeld(50)
    await storm.end()
    await house.endPatience() // the group of the killed worker
    await storm.expectHeld({ fault: 'pg_dump of the live system', kills: 0, withinMs: 60_000 })
    const after = new Map((await listInsights(house.db)).map(({ reference, text }) => [reference, text]))

    const restored = await openDatabaseOn(server, 'restored')
    const restore = { 'inkling.dump': file, $DATABASE_URL: restored.url }
    await server.tool('pg_restore', ...(await argumentsOf('pg_restore', restore)))
    expect(await runRelease(paasEnv({ databaseUrl: restored.url }))).toMatchObject({ code: 0 })
    await using other = await openHouse({ database: restored })
    const ready = await listInsights(other.db)
    const waiting = await other.countWaiting()
    expect(ready).toEqual(expect.arrayContaining(readyBefore))
    expect(waiting).toBeGreaterThan(0)
    for (const { reference, text } of ready) expect(after.get(reference)).toBe(text)

    await other.startWorker()
    await other.untilProcessed(60_000)
    const references = await listReferences(other.db)
    expect(references).toEqual(expect.arrayContaining(heldBefore))
    const drained = await listInsights(other.db)
    expect(drained).toHaveLength(references.length)
    expect(drained).toEqual(expect.arrayContaining(ready))
    expect(await listMiscounted(other.db)).toEqual([])

    const { url } = await other.startWeb()
    const [read, retried] = [
      await readByCode(url, house.tenant.requesterKey, mine.referenceNumber),
      await upload(url, house.tenant.uploaderKey, mine),
    ]
    const first = await readByCode(web.url, house.tenant.requesterKey, mine.referenceNumber)
    expect(read.body.insights).toEqual(first.body.insights)
    expect(retried.status).toBe(200)
    recordFigure({
      fault: 'restored from the dump of a live system',
      uploads: references.length,
      kills: 1,
      lost: references.length - drained.length,
    })
    await rm(directory, { recursive: true, force: true })
  },
)
