import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { byLength } from '../support/faults/run-length.ts'
import { startUploadLoad } from '../support/faults/upload-load.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

const HELD_MS = byLength({ short: 6_000, long: 600_000 })
/** Some 50 uploads a second, or half of that beside other test files, which one worker processes as they come. */
const LOAD = { clients: byLength({ short: 2, long: 4 }), pauseMs: 60 }

/** Milliseconds from upload to insight of the 100 newest datasets: median and slowest. */
async function measureLatency({ db }: TestStack): Promise<{ p50: number; slowest: number }> {
  const [row] = await queryRows<{ p50: number; slowest: number }>(
    db,
    `select percentile_cont(0.5) within group (order by ms) as p50, max(ms) as slowest from (
       select extract(epoch from settled_at - uploaded_at)::float * 1000 as ms from datasets
       where settled_at is not null order by settled_at desc limit 100
     ) newest`,
  )
  if (!row) throw new Error('an aggregate has a row')
  return row
}

async function openBackup(connectionString: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

test('while a backup holds its snapshot, uploads are accepted and processed as before, also after a worker is killed', {
  timeout: HELD_MS + 180_000,
}, async () => {
  await using stack = await startTestStack()
  await using backup = await openBackup(stack.ownerUrl)
  await stack.startWeb()
  const worker = await stack.startWorker()
  const load = await startUploadLoad(stack, LOAD)
  await load.untilAccepted(100, 30_000)
  const before = await measureLatency(stack)

  await backup.query('begin isolation level repeatable read read only')
  const { rows: seen } = await backup.query('select count(*)::int as datasets from datasets')
  const accepted = load.accepted
  await delay(HELD_MS / 6)
  await worker.end('SIGKILL')
  await stack.startWorker()
  await stack.expireEnqueueTimeouts() // of the killed worker's batches
  await delay((HELD_MS * 5) / 6)
  // what waited for the start of the second worker is settled by now, or soon: not later because of the snapshot
  const during = await vi.waitFor(
    async () => {
      const latency = await measureLatency(stack)
      expect(latency.p50).toBeLessThan(5_000) // longer than on an idle machine, but not the 15 s of the relay
      return latency
    },
    { timeout: 30_000, interval: 500 },
  )
  const { rows: still } = await backup.query('select count(*)::int as datasets from datasets')
  expect(still).toEqual(seen)
  expect(load.accepted - accepted).toBeGreaterThan(100)
  await load.end()
  await load.expectProcessedOnce({
    fault: `a snapshot is held for ${HELD_MS / 1_000} s, worker killed`,
    withinMs: 60_000,
  })
  process.stdout.write(
    `under a snapshot of ${HELD_MS / 1_000} s: ${load.accepted} uploads, slowest ${Math.round(load.slowestMs)} ms; ` +
      `upload to insight p50 ${Math.round(before.p50)} ms before, ${Math.round(during.p50)} ms at its end\n`,
  )
  expect(load).toMatchObject({ rejected: 0, disconnected: 0 })
})
