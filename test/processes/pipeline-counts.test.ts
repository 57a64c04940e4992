import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

/** Uploads of a burst, and the pause between two. */
const BURST = 100
const PAUSE_MS = 3_000

async function sumCounts({ db }: TestStack): Promise<{ uploads: number; ready: number }> {
  const { rows } = await db.raw(
    'select coalesce(sum(uploads), 0)::int as uploads, coalesce(sum(ready), 0)::int as ready from pipeline_counts',
  )
  return rows[0]
}

/** Age of the oldest upload that was never settled, by reading every row. */
async function readAge({ db }: TestStack): Promise<number> {
  const { rows } = await db.raw(
    `select extract(epoch from now() - min(uploaded_at))::float as seconds from datasets where status = 'received'`,
  )
  return rows[0].seconds
}

/** Reads the same age as a worker shows it. */
async function readShownAge(port: unknown): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  const shown = /^inkling_datasets_waiting_oldest_seconds (.+)$/m.exec(await response.text())?.[1]
  return Number(shown)
}

test('drained processes count each dataset once, a killed process never too many; the age shown of two bursts is exact', {
  timeout: 90_000,
}, async () => {
  await using stack = await startTestStack()
  const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
  const sendBurst = (many: number) =>
    Promise.all(Array.from({ length: many }, () => upload(web.url, stack.tenant.uploaderKey, anUpload())))
  const send = async (many: number) => {
    await sendBurst(many)
    await stack.untilProcessed(30_000)
  }
  await send(20)
  await worker.end('SIGTERM')
  const next = await stack.startWorker()
  await send(15)
  await next.end('SIGKILL')
  const last = await stack.startWorker({ WORKER_HEALTH_PORT: '0' })
  await send(5)
  const { port } = await last.waitForLog('health is served')
  await stack.owner.transaction(async (trx) => {
    await trx.raw('lock table insights in share mode') // nothing is settled
    for (const pauseMs of [PAUSE_MS, 0]) {
      await sendBurst(BURST)
      await delay(pauseMs)
      const [shown, age] = await Promise.all([readShownAge(port), readAge(stack)])
      expect(Math.abs(shown - age), `shown ${shown} s, truth ${age} s`).toBeLessThan(1)
      expect(age).toBeGreaterThan(PAUSE_MS / 1_000)
    }
  })
  await stack.untilProcessed(30_000)
  expect(await readShownAge(port)).toBe(0)
  await Promise.all([web.end('SIGTERM'), last.end('SIGTERM')])

  const { uploads, ready } = await sumCounts(stack)
  expect(uploads).toBe(40 + 2 * BURST)
  expect(ready).toBeGreaterThanOrEqual(25 + 2 * BURST)
  expect(ready).toBeLessThanOrEqual(40 + 2 * BURST)
})
