import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { isLong } from '../support/faults/run-length.ts'
import { startUploadLoad } from '../support/faults/upload-load.ts'
import type { Backend } from '../support/service.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

const DRAIN_SECONDS = 5

/** Time for a process that has decided to exit, beside those of other test files. */
const EXIT_MS = 2_000

afterAll(killProcesses)

type Case = [
  when: string,
  disrupt: (stack: TestStack) => unknown,
  backend: Backend,
  ending: { code?: number },
]

const CASES: Case[] = [
  ['all stores are available', () => undefined, 'redis', { code: 0 }],
  ['Redis does not respond', (stack) => stack.redis.freeze(), 'redis', { code: 0 }],
  [
    'Postgres is unavailable, and the queue with it',
    (stack) => stack.postgres.cut(),
    'postgres',
    { code: 0 },
  ],
  // requests that wait for Postgres are given DRAIN_SECONDS
  ['Postgres does not respond', (stack) => stack.postgres.freeze(), 'redis', {}],
]
if (isLong)
  CASES.push(
    ['all stores are available, the queue on Postgres', () => undefined, 'postgres', { code: 0 }],
    ['Redis is unavailable', (stack) => stack.redis.cut(), 'redis', { code: 0 }],
    ['Postgres is unavailable', (stack) => stack.postgres.cut(), 'redis', { code: 0 }],
  )

describe.concurrent('web and worker, signalled twice under load, end within DRAIN_SECONDS', {
  timeout: 90_000,
}, () => {
  test.each(CASES)('when %s, and nothing is lost', async (when, disrupt, backend, expected) => {
    await using stack = await startTestStack({ backend, env: { DRAIN_SECONDS: String(DRAIN_SECONDS) } })
    const processes = await Promise.all([stack.startWeb(), stack.startWorker()])
    const load = await startUploadLoad(stack, { clients: 3, pauseMs: 50 })
    await load.untilAccepted(20)
    await disrupt(stack)
    await delay(500)
    const endings = processes.map(async (process) => {
      const startedAt = performance.now()
      process.send('SIGTERM')
      await delay(100)
      const ending = await process.end('SIGTERM')
      return { ...ending, ms: performance.now() - startedAt }
    })
    for (const ending of await Promise.all(endings)) {
      expect(ending).toMatchObject({ signal: null, ...expected })
      expect(ending.ms).toBeLessThan(DRAIN_SECONDS * 1_000 + EXIT_MS)
    }

    await Promise.all([stack.postgres.restore(), stack.redis.restore()])
    await Promise.all([stack.startWeb(), stack.startWorker()])
    await load.untilAccepted(20)
    await load.end()
    if (!isLong) await stack.expireEnqueueTimeouts()
    await load.expectProcessedOnce({ fault: `SIGTERM twice when ${when}`, kills: 2, withinMs: 40_000 })
  })
})
