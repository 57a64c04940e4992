import { pino } from 'pino'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { openRedis } from '../../db/queue/open-redis.ts'
import { openProducer } from '../../db/queue/producer.ts'
import { expectQuiet } from '../support/faults/readiness.ts'
import { type RedisNode, SERVERS, withoutOpenssl } from '../support/faults/redis-nodes.ts'
import {
  expectRecovered,
  listPauses,
  startSomeLoad,
  untilProcessing,
} from '../support/faults/redis-recovery.ts'
import { type RedisSentinels, startRedisSentinels } from '../support/faults/redis-sentinels.ts'
import { byLength, isLong } from '../support/faults/run-length.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

type Fault = (sentinels: RedisSentinels, master: RedisNode) => Promise<() => unknown>

/** What makes the sentinels replace a server; returns what ends the fault. */
const FAULTS: readonly Fault[] = [
  async ({ sentinels }) => {
    await sentinels[0]?.command('sentinel', 'failover', 'queue')
    return () => undefined
  },
  async (_, master) => {
    await master.kill()
    return () => master.restart()
  },
  async (_, master) => {
    master.send('SIGSTOP')
    return () => master.send('SIGCONT')
  },
]

describe.skipIf(withoutOpenssl).each(SERVERS)('%s with sentinels, TLS and users', (program) => {
  test('a sentinel that is down is logged, and nothing is printed to the console', async () => {
    await using sentinels = await startRedisSentinels(program)
    const printed = vi.spyOn(console, 'error')
    const logged: string[] = []
    const producer = openProducer(
      {
        database: { url: 'postgres://127.0.0.1:1/none', poolMax: 1 },
        redis: { url: sentinels.env.REDIS_URL, ca: sentinels.env.REDIS_CA },
      },
      pino({}, { write: (line) => void logged.push(line) }),
    )
    await producer.check()
    const [sentinel] = sentinels.sentinels
    await sentinel?.kill()
    await expect
      .poll(() => logged.map((line) => JSON.parse(line)))
      .toContainEqual(
        expect.objectContaining({
          msg: 'queue connection',
          err: expect.objectContaining({
            message: expect.stringContaining(`Sentinel 127.0.0.1:${sentinel?.port}: connect ECONNREFUSED`),
          }),
        }),
      )
    await producer.check()
    expect(printed).not.toHaveBeenCalled()
    printed.mockRestore()
    await producer.close()
  })

  test('fails over repeatedly: uploads are accepted, workers go on, and all is drained within 30 s', {
    timeout: 900_000,
  }, async () => {
    await using sentinels = await startRedisSentinels(program)
    await using stack = await startTestStack({ env: sentinels.env })
    const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
    // ioredis alone would end some of them for good, without an error
    const others = Array.from({ length: 8 }, () =>
      openRedis({ url: sentinels.env.REDIS_URL, ca: sentinels.env.REDIS_CA }, { failFast: true }).on(
        'error',
        () => undefined,
      ),
    )
    const load = await startSomeLoad(stack)
    const failovers = byLength({ short: 2, long: 20 })
    for (let count = 0; count < failovers; count++) {
      await load.untilAccepted(20)
      await sentinels.untilComplete()
      const master = await sentinels.findMaster()
      const endFault = await FAULTS[count % FAULTS.length]?.(sentinels, master)
      await sentinels.untilReplaced(master)
      await untilProcessing(stack)
      await endFault?.()
    }
    expect(load).toMatchObject({ rejected: 0, disconnected: 0 })
    expect(load.slowestMs).toBeLessThan(5_000)
    expect(others.map(({ status }) => status)).not.toContain('end')
    for (const other of others) other.disconnect()
    const pauses = await listPauses(stack, failovers)
    await expectRecovered(stack, load, {
      fault: `failovers by sentinels (${program}): nothing is processed for at most ${pauses[0]?.toFixed(1)} s`,
      kills: failovers,
    })
    const log = (...messages: string[]) => (isLong ? [] : messages) // in the long form, each outage is logged
    expectQuiet(web, ...log('queue connection', 'could not enqueue; the relay will'))
    expectQuiet(worker, ...log('queue connection', 'relay'))
  })
})
