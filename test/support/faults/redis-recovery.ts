import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { anUpload } from '../captures.ts'
import { readByCode, upload } from '../client.ts'
import type { TestStack } from '../test-stack.ts'
import { byLength } from './run-length.ts'
import { startUploadLoad, type UploadLoad } from './upload-load.ts'

/** Time limit after Redis is back, for the relay alone. */
const DRAINED_MS = 30_000

/** Starts as much load as two cores sustain for several of these tests at once, and the tests of other files beside them. */
export const startSomeLoad = (stack: TestStack) =>
  startUploadLoad(stack, byLength({ short: { clients: 3, pauseMs: 150 }, long: { clients: 6, pauseMs: 30 } }))

/** Expects the load to continue, without rejected uploads or uploads that wait for Redis. */
export async function expectUnaffected(load: UploadLoad, ms: number): Promise<void> {
  const before = load.accepted
  await delay(ms)
  expect(load.accepted).toBeGreaterThan(before)
  expect(load).toMatchObject({ rejected: 0, disconnected: 0 })
  expect(load.slowestMs).toBeLessThan(5_000)
}

/** After Redis is back, expects waiting datasets to drain within 30 s and new uploads to be enqueued again. */
export async function expectRecovered(
  stack: TestStack,
  load: UploadLoad,
  { fault, kills = 1 }: { fault: string; kills?: number },
): Promise<void> {
  const backAt = performance.now()
  await delay(1_000)
  await load.end()
  await load.expectProcessedOnce({ fault, kills, withinMs: DRAINED_MS - (performance.now() - backAt) })
  await expectEnqueued(stack)
}

/** Expects a new upload to be processed by its own job; the relay would take 15 s. */
export async function expectEnqueued({ webUrls, tenant }: TestStack): Promise<void> {
  const [url = ''] = webUrls()
  const body = anUpload()
  const startedAt = performance.now()
  expect((await upload(url, tenant.uploaderKey, body)).status).toBe(200)
  expect((await readByCode(url, tenant.requesterKey, body.referenceNumber)).status).toBe(200)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
}

/** Resolves when a dataset is processed that was uploaded after this call. @throws after 30 s. */
export async function untilProcessing(stack: TestStack): Promise<void> {
  const { rows } = await stack.db.raw('select now() as since')
  for (const deadline = performance.now() + DRAINED_MS; ; await delay(50)) {
    const found = await stack.db.raw(
      'select from datasets where uploaded_at > ? and ring_at is null limit 1',
      [rows[0].since],
    )
    if (found.rows.length > 0) return
    if (performance.now() > deadline) await stack.untilProcessed(0) // throws with the logs
  }
}

/** Lists the times in seconds in which no dataset was processed, longest first. @param count how many. */
export async function listPauses({ db }: TestStack, count: number): Promise<number[]> {
  const { rows } = await db.raw(
    `select extract(epoch from settled_at - lag(settled_at) over (order by settled_at))::float as pause
     from datasets where settled_at is not null order by pause desc nulls last limit ?`,
    [count],
  )
  return rows.map(({ pause }: { pause: number }) => pause)
}
