import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { byLength, isLong } from '../support/faults/run-length.ts'
import { startUploadLoad } from '../support/faults/upload-load.ts'
import { BACKENDS } from '../support/service.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

/** Batches in flight in a killed worker are enqueued again by the relay, 15 s after their upload. */
const RELAYED_MS = 60_000

describe.concurrent.each(BACKENDS)(
  'with the queue on %s',
  { timeout: byLength({ short: 120_000, long: 400_000 }) },
  (backend) => {
    test('with a worker that is killed repeatedly, each dataset is counted exactly once', async () => {
      await using stack = await startTestStack({ backend })
      await stack.startWeb()
      const load = await startUploadLoad(stack, { clients: 3, pauseMs: 60 })
      const lives = byLength({ short: [400, 60, 10], long: [400, 60, 10, 200, 5, 900, 30, 120, 15, 80] })
      for (const lifeMs of lives) {
        const worker = await stack.startWorker({ WORKER_CONCURRENCY: '2' })
        await delay(lifeMs)
        expect(await worker.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
      }
      await stack.startWorker()
      await load.end()
      if (!isLong) await stack.expireEnqueueTimeouts()
      await load.expectProcessedOnce({
        fault: `worker killed again and again, queue on ${backend}`,
        kills: lives.length,
        withinMs: RELAYED_MS,
      })
    })

    test.runIf(isLong || backend === 'redis')(
      'a killed web process loses no answered upload, and clients can retry interrupted ones',
      async () => {
        await using stack = await startTestStack({ backend })
        let web = await stack.startWeb()
        await stack.startWorker()
        const load = await startUploadLoad(stack, { clients: 3, pauseMs: 60 })
        const lives = byLength({ short: [900, 400], long: [900, 400, 50, 1_300, 10, 700, 250, 30] })
        for (const lifeMs of lives) {
          await delay(lifeMs)
          await web.end('SIGKILL')
          web = await stack.startWeb()
        }
        await load.untilAccepted(20)
        await load.end()
        expect(load.disconnected).toBeGreaterThan(0)
        if (!isLong) await stack.expireEnqueueTimeouts()
        await load.expectProcessedOnce({
          fault: `web killed at random moments, queue on ${backend}`,
          kills: lives.length,
          withinMs: RELAYED_MS,
        })
      },
    )
  },
)
