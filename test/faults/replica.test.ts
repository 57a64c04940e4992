import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { deleteDataset } from '../../db/datasets/delete-datasets.ts'
import { queryRows } from '../../db/postgres/database.ts'
import { anActor } from '../support/actors.ts'
import { anUpload } from '../support/captures.ts'
import { call, readByCode, upload } from '../support/client.ts'
import { openPostgresStack } from '../support/faults/postgres-stack.ts'
import { startStreamingReplica } from '../support/faults/streaming-replica.ts'
import { killProcesses } from '../support/start-process.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'

afterAll(killProcesses)

/** Longest response while the replica does not answer: 0.5 s until it is left, with reserve for a busy machine. */
const MAX_RESPONSE_MS = 3_000

test('a replica answers reads; what it lacks, and everything while it is behind or down, the primary answers', {
  timeout: 120_000,
}, async () => {
  await using stack = await openPostgresStack({ temporary: true })
  await using replica = await startStreamingReplica(stack.ownerUrl)
  const proxy = await openTcpProxy(replica.url(stack.databaseUrl))
  const [web] = await Promise.all([stack.startWeb({ DATABASE_REPLICA_URL: proxy.url }), stack.startWorker()])
  const { uploaderKey, requesterKey, subscriptionId } = stack.tenant
  let reads = 0
  /** Reads an insight within the time limit. */
  const read = async (referenceNumber: string, status = 200) => {
    const startedAt = performance.now()
    expect(await readByCode(web.url, requesterKey, referenceNumber)).toMatchObject({ status })
    expect(performance.now() - startedAt).toBeLessThan(MAX_RESPONSE_MS)
    reads++
  }
  const uploadOne = async () =>
    (await upload(web.url, uploaderKey, anUpload())).body.referenceNumber as string
  const readFor = async (ms: number, referenceNumber: string) => {
    for (const deadline = performance.now() + ms; performance.now() < deadline; await delay(50))
      await read(referenceNumber)
  }

  /** Reads a batch of 100 insights: of these datasets, and of others that were settled long ago. */
  const readBatch = async (names: readonly string[], statuses: readonly number[] = names.map(() => 200)) => {
    const others = Array.from({ length: 100 - names.length }, (_, n) => known[n % known.length])
    const { body } = await call(web.url, 'POST', '/api/insights/v1/batch', {
      ...{ token: requesterKey, body: { referenceNumbers: [...names, ...others], codes: ['velocity'] } },
    })
    expect(body.results.map((result: { status: number }) => result.status)).toEqual([
      ...statuses,
      ...others.map(() => 200),
    ])
    reads += 100
  }
  const uploadMany = (count: number) => Promise.all(Array.from({ length: count }, uploadOne))

  // an upload is found at once, wherever it is
  const known = await uploadMany(10)
  for (const one of known) await read(one)

  const settled = await uploadOne()
  await read(settled)
  await web.waitForLog('the replica answers reads of insights')
  const countReplicaReads = async () => {
    const statement = `select idx_scan as scans from pg_stat_user_tables where relname = 'insights'`
    const [row] = await replica.query(statement)
    return Number(row?.scans)
  }
  const before = await countReplicaReads()
  // sessions report what they have read every second, if they are not idle
  const countAfterReading = async () => {
    await readFor(1_100, settled)
    return await countReplicaReads()
  }
  await expect.poll(countAfterReading, { timeout: 20_000 }).toBeGreaterThan(before)

  const beforeBatches = await countReplicaReads()
  const countAfterBatches = async () => {
    await readBatch(await uploadMany(5)) // the primary answers those that are not there yet
    return await countReplicaReads()
  }
  await expect
    .poll(countAfterBatches, { timeout: 20_000, interval: 300 })
    .toBeGreaterThanOrEqual(beforeBatches + 95)

  // replay pauses: what came since is on the primary, and nothing older than a second is returned
  await replica.query('select pg_wal_replay_pause()')
  const fresh = await uploadOne()
  await read(fresh)
  await readBatch([...(await uploadMany(5)), fresh])
  await deleteDataset(stack.db, subscriptionId, settled, anActor('a test'))
  await web.waitForLog(
    'the replica is behind, or follows another server: the primary answers reads of insights',
  )
  await read(settled, 410)
  await readBatch([settled, ...(await uploadMany(5))], [410, 200, 200, 200, 200, 200])
  await replica.query('select pg_wal_replay_resume()')

  await readFor(500, fresh)
  proxy.freeze()
  await readBatch(await uploadMany(5))
  await readFor(1_500, fresh)
  await proxy.cut()
  await readFor(500, fresh)
  await proxy.restore()
  await readFor(1_000, fresh)

  // SIGTERM right after responses
  await Promise.all(Array.from({ length: 50 }, () => read(fresh)))
  expect(await web.end('SIGTERM')).toMatchObject({ code: 0 })
  const [row] = await queryRows<{ n: number }>(
    stack.db,
    'select count(*)::integer as n from insight_requests',
  )
  expect(row?.n).toBe(reads)
  expect(web.logged().filter(({ level }) => level > 40)).toEqual([])
  await proxy.cut()
})
