import { afterAll, describe, expect, test } from 'vitest'
import { openProducer } from '../../db/queue/producer.ts'
import { openQueueView } from '../../db/queue/queue-view.ts'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { expectQuiet } from '../support/faults/readiness.ts'
import { type RedisCluster, startRedisCluster } from '../support/faults/redis-cluster.ts'
import { SERVERS, withoutOpenssl } from '../support/faults/redis-nodes.ts'
import {
  expectRecovered,
  listPauses,
  startSomeLoad,
  untilProcessing,
} from '../support/faults/redis-recovery.ts'
import { byLength } from '../support/faults/run-length.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack } from '../support/test-stack.ts'

let cluster: RedisCluster

afterAll(async () => {
  await killProcesses()
  await cluster?.[Symbol.asyncDispose]()
})

const QUEUES = ['{inkling:0.0}', '{inkling:0.1}', '{inkling:0.2}', '{inkling:0.3}']

describe.skipIf(withoutOpenssl).each(SERVERS)(
  'a cluster of %s, with TLS and users',
  { timeout: 300_000 },
  (program) => {
    test('jobs are spread over its masters, and counted and listed together', async () => {
      cluster = await startRedisCluster(program)
      const location = {
        database: { url: 'postgres://127.0.0.1:1/none', poolMax: 1 },
        redis: { url: cluster.env.REDIS_URL, ca: cluster.env.REDIS_CA },
      }
      const producer = openProducer(location)
      const view = openQueueView(location, () => undefined)
      expect(await producer.hasLostJobs()).toBe(true)
      expect(await producer.hasLostJobs()).toBe(false)
      const keys = Array.from({ length: 8 }, (_, id) => ({ subscriptionId: 1, id: id + 1 }))
      for (const key of keys) await producer.enqueue([key])
      await producer.enqueue([{ subscriptionId: 1, id: 9 }], { priority: 7 })
      await producer.check()

      expect(await producer.countWaiting()).toBe(9)
      const jobs = await view.open()
      expect(await jobs.getJobCounts('waiting', 'prioritized')).toEqual({ waiting: 8, prioritized: 1 })
      const listed = await jobs.getJobs(['waiting'], 0, 24, true)
      expect(listed.map(({ data }) => data.datasets[0]?.[1])).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      const masters = new Set<number>()
      for (const name of QUEUES) {
        const master = await cluster.findMaster(name)
        masters.add(master.port)
        expect(await master.command('llen', `${name}:datasets:wait`)).toBe(2)
      }
      expect(masters.size).toBe(3)

      // a wiped master has lost its jobs
      await (await cluster.findMaster(QUEUES[0] as string)).command('flushall')
      expect(await producer.hasLostJobs()).toBe(true)
      for (const name of QUEUES) await (await cluster.findMaster(name)).command('flushall')
      await view.close()
      await producer.close()
    })

    test('a killed master: uploads are accepted, and drained within 30 s', async () => {
      await using stack = await startTestStack({ env: cluster.env })
      const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
      const load = await startSomeLoad(stack)
      const kills = byLength({ short: 1, long: 10 })
      for (let kill = 1; kill <= kills; kill++) {
        await load.untilAccepted(20)
        const master = await cluster.findMaster(QUEUES[kill % QUEUES.length] as string)
        await master.kill()
        await cluster.untilReplaced(master)
        await untilProcessing(stack)
        if (kill < kills) {
          await master.restart()
          await cluster.untilComplete()
        }
      }
      expect(load).toMatchObject({ rejected: 0, disconnected: 0 })
      expect(load.slowestMs).toBeLessThan(5_000)
      const [pause = 0] = await listPauses(stack, 1)
      await expectRecovered(stack, load, {
        fault: `a master of a cluster killed (${program}): nothing is processed for at most ${pause.toFixed(1)} s`,
        kills,
      })
      expectQuiet(web, 'queue connection', 'could not enqueue; the relay will')
      expectQuiet(worker, 'queue connection', 'relay')

      // with fewer queues than web uses, jobs of the others are never taken
      await worker.end('SIGTERM')
      await stack.startWorker({ QUEUE_SHARDS: '1' })
      const [url = ''] = stack.webUrls()
      for (let n = 0; n < 8; n++)
        expect((await upload(url, stack.tenant.uploaderKey, anUpload())).status).toBe(200)
      await stack.expireEnqueueTimeouts()
      await stack.untilProcessed(20_000)
    })
  },
)
