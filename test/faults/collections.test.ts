import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, expect, test } from 'vitest'
import { startPageLoad } from '../support/faults/page-load.ts'
import { byLength } from '../support/faults/run-length.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

const RELAYED_MS = 60_000

/** Every collection that was completed is a dataset with all its events, whatever is killed while browsers send. */
test('collections are whole while web and worker are killed and Redis is flushed', {
  timeout: byLength({ short: 120_000, long: 400_000 }),
}, async () => {
  await using stack = await startTestStack()
  let web = await stack.startWeb()
  let worker = await stack.startWorker()
  const load = await startPageLoad(stack)
  const redis = new Redis(stack.redis.url)
  for (const lifeMs of byLength({ short: [700, 300], long: [700, 300, 1_100, 50, 500, 10, 900, 200] })) {
    await load.untilCompleted(3)
    await delay(lifeMs)
    await web.end('SIGKILL')
    web = await stack.startWeb()
    await worker.end('SIGKILL')
    worker = await stack.startWorker()
    await redis.flushdb()
  }
  redis.disconnect()
  await load.untilCompleted(3)
  await load.end()
  expect(load.repeated).toBeGreaterThan(0)
  await stack.expireEnqueueTimeouts()
  await load.expectWhole(RELAYED_MS)
})
