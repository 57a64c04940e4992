import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { readProcfile } from '../../scripts/servers/procfile.ts'
import { anUpload } from '../support/captures.ts'
import { readByCode, upload } from '../support/client.ts'
import { dropDatabase, runSql } from '../support/databases.ts'
import { openDumpablePostgres, whyNotDumpable } from '../support/faults/dumpable-postgres.ts'
import { commandsOf } from '../support/faults/guide-commands.ts'
import { recordResult } from '../support/faults/record-result.ts'
import { byLength } from '../support/faults/run-length.ts'
import { listInsights, listMiscounted, listReferences } from '../support/faults/stored-datasets.ts'
import { startUploadLoad } from '../support/faults/upload-load.ts'
import { killProcesses, PROJECT, paasEnv, runRelease } from '../support/start-process.ts'
import { claimRedisUrl, type TestDatabase } from '../support/stores.ts'
import { startTestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

const ROLE = 'inkling'
/** Other test files use the name of docs/operations/server.md on the same server. */
const RUNTIME = 'inkling_of_backup'
const NAMES = ['inkling', 'inkling_restored', 'inkling_lost']

/** The database of docs/operations/server.md: its role owns it and has no other rights on the server; web and worker have one of their own. */
async function openOwnDatabase(serverUrl: string): Promise<TestDatabase> {
  const drop = async () => {
    for (const name of NAMES) await dropDatabase(serverUrl, name)
    await runSql(serverUrl, `drop role if exists ${ROLE}, ${RUNTIME}`)
  }
  await drop()
  for (const role of [ROLE, RUNTIME]) await runSql(serverUrl, `create role ${role} login password '${role}'`)
  await runSql(serverUrl, `create database inkling owner ${ROLE} encoding 'UTF8' template template0`)
  await runSql(serverUrl, 'revoke connect, temporary on database inkling from public')
  const urlOf = (role: string) =>
    Object.assign(new URL(serverUrl), { username: role, password: role, pathname: 'inkling' }).href
  return { url: urlOf(RUNTIME), ownerUrl: urlOf(ROLE), drop }
}

/** Stub for systemctl: starting the release runs it, other calls are only printed. */
const SYSTEMCTL = `
readlink() { echo releases/this-one; }
systemctl() {
  echo "systemctl $*"
  if [[ "$*" == 'start inkling-release@this-one' ]]; then (cd "$PROJECT" && exec sh -c "$RELEASE"); fi
}
`

/** Runs commands in a directory as an operator pastes them. @returns their output. @throws if one fails. */
async function paste(commands: string, cwd: string, env: Record<string, string>): Promise<string> {
  const RELEASE = readProcfile(PROJECT)('release')
  const { stdout } = await promisify(execFile)(
    'bash',
    ['--norc', '-euo', 'pipefail', '-c', SYSTEMCTL + commands],
    { cwd, env: { ...env, PROJECT, RELEASE } },
  )
  return stdout
}

const reason = whyNotDumpable()

test.skipIf(reason !== undefined)(
  `a dump of the live system is consistent: restored as documented, without superuser rights, it drains to the same insights${reason ? ` (skipped: ${reason})` : ''}`,
  { timeout: 180_000 },
  async () => {
    await using server = await openDumpablePostgres()
    const directory = await mkdtemp(join(tmpdir(), 'inkling-backup-'))
    const live = await openOwnDatabase(server.url)
    const redisUrl = await claimRedisUrl()
    const env = paasEnv(
      { databaseUrl: live.url, redisUrl },
      { DATABASE_OWNER_URL: live.ownerUrl, MAINTENANCE_URL: server.url },
    )
    env.PATH = [server.toolDirectory, env.PATH].join(delimiter)
    expect(await runRelease(env)).toEqual({ code: 0, output: expect.stringMatching(/^Applied .*\n$/) })
    const before = await startTestStack({
      database: { ...live, drop: async () => undefined },
      redisUrl,
    })
    const { tenant } = before
    const web = await before.startWeb()
    const worker = await before.startWorker()

    const mine = anUpload()
    expect((await upload(web.url, tenant.uploaderKey, mine)).status).toBe(200)
    const load = await startUploadLoad(before, byLength({ short: { clients: 3, pauseMs: 50 }, long: {} }))
    await load.untilAccepted(byLength({ short: 100, long: 1_000 }))
    await worker.end('SIGKILL') // so that the dump has waiting datasets and an interrupted batch
    await load.untilAccepted(50)
    const [heldBefore, readyBefore] = [await listReferences(before.db), await listInsights(before.db)]
    await before.startWorker()
    await paste(await commandsOf('Dump'), directory, env)
    await load.untilAccepted(50)
    await load.end()
    await before.expireEnqueueTimeouts() // the batch of the killed worker
    await load.expectProcessedOnce({ fault: 'pg_dump of the live system', kills: 0, withinMs: 60_000 })
    const after = new Map((await listInsights(before.db)).map(({ reference, text }) => [reference, text]))
    const first = await readByCode(web.url, tenant.requesterKey, mine.referenceNumber)
    await before[Symbol.asyncDispose]()

    const printed = await paste(await commandsOf('Restore'), directory, env)
    expect(printed).toMatch(
      /^systemctl stop .*web.*worker[\s\S]*start inkling-release@[\s\S]*\nsystemctl start .*web.*worker.*\n$/,
    )
    await using other = await startTestStack({ database: live, redisUrl })
    const ready = await listInsights(other.db)
    const waiting = await other.countWaiting()
    expect(ready).toEqual(expect.arrayContaining(readyBefore))
    expect(waiting).toBeGreaterThan(0)
    for (const { reference, text } of ready) expect(after.get(reference)).toBe(text)
    const owners = await queryRows(
      other.db,
      `select distinct n.nspname as schema, r.rolname as owner, r.rolsuper as superuser
       from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.oid = c.relowner
       where n.nspname in ('public', 'bullmq') order by 1`,
    )
    expect(owners).toEqual(['bullmq', 'public'].map((schema) => ({ schema, owner: ROLE, superuser: false })))
    const statistics = await queryRows(other.db, "select 1 from pg_stats where tablename = 'datasets'")
    expect(statistics).not.toEqual([])

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
      await readByCode(url, tenant.requesterKey, mine.referenceNumber),
      await upload(url, tenant.uploaderKey, mine),
    ]
    expect(read.body.insights).toEqual(first.body.insights)
    expect(retried.status).toBe(200)
    recordResult({
      fault: 'restored from the dump of a live system',
      uploads: references.length,
      kills: 1,
      lost: references.length - drained.length,
    })
    await rm(directory, { recursive: true, force: true })
  },
)
