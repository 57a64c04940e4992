import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { inForm, isLong } from '../support/faults/form.ts'
import { startStorm } from '../support/faults/storm.ts'
import { BACKENDS } from '../support/service.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

/** The relay enqueues the datasets of a killed worker 15 s after their upload. */
const RELAYED_MS = 60_000

describe.concurrent.each(BACKENDS)(
  'with the queue on %s',
  { timeout: inForm({ short: 120_000, long: 400_000 }) },
  (backend) => {
    test('a worker that is killed again and again counts each dataset once and leaves none out', async () => {
      await using stack = await startTestStack({ backend })
      await stack.startWeb()
      const storm = await startStorm(stack, { clients: 3, pauseMs: 60 })
      const lives = inForm({ short: [400, 60, 10], long: [400, 60, 10, 200, 5, 900, 30, 120, 15, 80] })
      for (const lifeMs of lives) {
        const worker = await stack.startWorker({ WORKER_CONCURRENCY: '2' })
        await delay(lifeMs)
        expect(await worker.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
      }
      await stack.startWorker()
      await storm.end()
      if (!isLong) await stack.expireEnqueueTimeouts()
      await storm.expectHeld({
        fault: `worker killed again and again, queue on ${backend}`,
        kills: lives.length,
        withinMs: RELAYED_MS,
      })
    })

    test.runIf(isLong || backend === 'redis')(
      'a web that is killed loses nothing that it answered, and a client may repeat what broke off',
      async () => {
        await using stack = await startTestStack({ backend })
        let web = await stack.startWeb()
        await stack.startWorker()
        const storm = await startStorm(stack, { clients: 3, pauseMs: 60 })
        const lives = inForm({ short: [900, 400], long: [900, 400, 50, 1_300, 10, 700, 250, 30] })
        for (const lifeMs of lives) {
          await delay(lifeMs)
          await web.end('SIGKILL')
          web = await stack.startWeb()
        }
        await storm.untilHeld(20)
        await storm.end()
        expect(storm.broken).toBeGreaterThan(0)
        if (!isLong) await stack.expireEnqueueTimeouts()
        await storm.expectHeld({
          fault: `web killed at random moments, queue on ${backend}`,
          kills: lives.length,
          withinMs: RELAYED_MS,
        })
      },
    )
  },
)
