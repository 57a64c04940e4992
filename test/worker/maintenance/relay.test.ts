import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSubscription } from '../../../db/accounts/subscriptions.ts'
import { saveAdditionalInfo } from '../../../db/datasets/additional-info.ts'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import { openOverdueScan } from '../../../db/datasets/overdue-scan.ts'
import { receiveDatasets } from '../../../db/datasets/receive-datasets.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { openProducer, type QueueProducer } from '../../../db/queue/producer.ts'
import { relayOverdue } from '../../../worker/maintenance/relay.ts'
import { anActor } from '../../support/actors.ts'
import { BACKENDS, type Service, startService } from '../../support/service.ts'
import { aStoredUpload } from '../../support/workbench.ts'

const log = pino({ level: 'silent' })

/** Nothing listens on the port for multiplexing TCP services. */
const NOWHERE = '127.0.0.1:1'

describe.each(BACKENDS)('with the queue on %s', (backend) => {
  let service: Service
  let subscriptionId: number

  beforeAll(async () => {
    service = await startService({ backend, worker: false })
    subscriptionId = (await createSubscription(service.db, 'Lender')).id
    await service.producer.hasLostJobs() // true for a new queue
  })
  afterAll(() => service.stop())

  async function receive(count: number): Promise<DatasetKey[]> {
    const uploads = Array.from({ length: count }, () => aStoredUpload(subscriptionId))
    const receipts = await receiveDatasets(service.db, uploads)
    return receipts.flatMap((receipt) => (receipt.outcome === 'received' ? [receipt.key] : []))
  }

  /** Expires their enqueue timeout. */
  async function makeOverdue(keys: readonly DatasetKey[]): Promise<void> {
    await service.db.raw("update datasets set ring_at = now() - interval '1 second' where id = any(?)", [
      keys.map(({ id }) => id),
    ])
  }

  interface Wait {
    readonly status: string
    readonly rings: number
    readonly timeoutSeconds: number | null
  }

  const listWaits = (keys: readonly DatasetKey[]): Promise<Wait[]> =>
    queryRows(
      service.db,
      `select status, rings, extract(epoch from ring_at - now())::float as "timeoutSeconds"
       from datasets where id = any(?) order by id`,
      [keys.map(({ id }) => id)],
    )

  /** The real producer, which records its calls. */
  function record(): { producer: QueueProducer; batches: (readonly DatasetKey[])[] } {
    const batches: (readonly DatasetKey[])[] = []
    const enqueue: QueueProducer['enqueue'] = (datasets, options) => {
      batches.push(datasets)
      return service.producer.enqueue(datasets, options)
    }
    return { producer: { ...service.producer, enqueue }, batches }
  }

  const idsOf = (batches: readonly (readonly DatasetKey[])[]) =>
    batches
      .flat()
      .map(({ id }) => id)
      .toSorted((a, b) => a - b)

  test('datasets that were never enqueued are left alone until their timeout expires, then enqueued and processed', async () => {
    const keys = await receive(5)
    const { producer, batches } = record()
    await relayOverdue({ db: service.db, producer, log })
    expect(batches).toEqual([])
    for (const { timeoutSeconds } of await listWaits(keys)) {
      expect(timeoutSeconds).toBeGreaterThan(5)
      expect(timeoutSeconds).toBeLessThanOrEqual(15)
    }

    await makeOverdue(keys)
    await relayOverdue({ db: service.db, producer, log })
    expect(batches.map((batch) => batch.length)).toEqual([5])
    const worker = service.startWorker()
    await vi.waitFor(
      async () => {
        const ready = { status: 'ready', rings: 0, timeoutSeconds: null }
        expect(await listWaits(keys)).toEqual(keys.map(() => ready))
      },
      { timeout: 10_000, interval: 20 },
    )
    await worker.close()

    await relayOverdue({ db: service.db, producer, log })
    expect(batches).toHaveLength(1)
  })

  test('concurrent relays enqueue each dataset once, in batches', async () => {
    const keys = await receive(600)
    await makeOverdue(keys)
    const { producer, batches } = record()
    await Promise.all(Array.from({ length: 6 }, () => relayOverdue({ db: service.db, producer, log })))
    expect(idsOf(batches)).toEqual(idsOf([keys]))
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(128)
    expect(new Set((await listWaits(keys)).map(({ rings }) => rings))).toEqual(new Set([1]))
  })

  test('Additional Info that was never enqueued is enqueued by the relay, and then in the insight', async () => {
    const keys = await receive(3)
    const worker = service.startWorker()
    await service.producer.enqueue(keys)
    const untilReady = () =>
      vi.waitFor(
        async () => {
          const waits = await listWaits(keys)
          expect(waits.map(({ status, timeoutSeconds }) => [status, timeoutSeconds])).toEqual(
            keys.map(() => ['ready', null]),
          )
        },
        { timeout: 10_000, interval: 20 },
      )
    await untilReady()
    const clientsOf = async () =>
      (
        await queryRows<{ client: string | null }>(
          service.db,
          "select velocity -> 'client' ->> 'id' as client from datasets where id = any(?) order by id",
          [keys.map(({ id }) => id)],
        )
      ).map(({ client }) => client)
    expect(await clientsOf()).toEqual([null, null, null])

    // like a web process that is killed before it enqueues, or whose job is lost with Redis
    for (const { id } of keys) {
      const { reference_number } = await service.db('datasets').where({ id }).first('reference_number')
      await saveAdditionalInfo(
        service.db,
        subscriptionId,
        reference_number,
        { clientId: `C-${id}` },
        anActor('key'),
      )
    }
    const { producer, batches } = record()
    await Promise.all(Array.from({ length: 3 }, () => relayOverdue({ db: service.db, producer, log })))
    expect(batches).toEqual([])
    await makeOverdue(keys)
    await Promise.all(Array.from({ length: 3 }, () => relayOverdue({ db: service.db, producer, log })))
    expect(idsOf(batches)).toEqual(idsOf([keys]))
    await untilReady()
    expect(await clientsOf()).toEqual(keys.map(({ id }) => `C-${id}`))
    await worker.close()
  })

  test('the timeout that expired first is enqueued first', async () => {
    const keys = await receive(130)
    await makeOverdue(keys)
    const late = keys.slice(-3)
    await service.db.raw("update datasets set ring_at = now() - interval '1 hour' where id = any(?)", [
      late.map(({ id }) => id),
    ])
    const { producer, batches } = record()
    await relayOverdue({ db: service.db, producer, log })
    expect(batches.map((batch) => batch.length)).toEqual([128, 2])
    expect(idsOf(batches.slice(0, 1))).toEqual(expect.arrayContaining(idsOf([late])))
  })

  test('each attempt doubles the timeout, up to 10 minutes', async () => {
    const keys = await receive(1)
    const timeouts: number[] = []
    for (let attempt = 1; attempt <= 8; attempt++) {
      await makeOverdue(keys)
      await relayOverdue({ db: service.db, producer: service.producer, log })
      const [wait] = await listWaits(keys)
      expect(wait?.rings).toBe(attempt)
      timeouts.push(Math.round(((wait?.timeoutSeconds ?? 0) + 1) / 10) * 10) // a second may have passed
    }
    expect(timeouts).toEqual([30, 60, 120, 240, 480, 600, 600, 600])
    await service.db.raw('update datasets set rings = 1000000 where id = ?', [keys[0]?.id ?? null])
    await makeOverdue(keys)
    await relayOverdue({ db: service.db, producer: service.producer, log })
    expect((await listWaits(keys))[0]?.timeoutSeconds).toBeGreaterThan(590)
  })

  test('a failed attempt does not lengthen the timeout', async () => {
    const keys = await receive(3)
    await makeOverdue(keys)
    const { producer } = record()
    const failing: QueueProducer = {
      ...producer,
      enqueue: () => Promise.reject(new Error('became unavailable')),
    }
    await expect(relayOverdue({ db: service.db, producer: failing, log })).rejects.toThrow(
      'became unavailable',
    )
    for (const { rings, timeoutSeconds } of await listWaits(keys)) {
      expect(rings).toBe(0)
      expect(timeoutSeconds).toBeLessThan(0)
    }
    await relayOverdue({ db: service.db, producer, log })
  })

  test('a relay that begins where it ended misses no dataset, whoever held, failed or committed late', async () => {
    const { producer, batches } = record()
    const scan = openOverdueScan()
    const run = (of = producer) => relayOverdue({ db: service.db, producer: of, log, scan })
    await run()
    const [failed, held, late] = await Promise.all([receive(1), receive(1), receive(1)])
    await makeOverdue([...failed, ...held])
    const holder = await service.db.transaction()
    await holder.raw('select from datasets where id = any(?) for update', [held.map(({ id }) => id)])
    const failing = { ...producer, enqueue: () => Promise.reject(new Error('became unavailable')) }
    await expect(run(failing)).rejects.toThrow('became unavailable')
    await run()
    expect(idsOf(batches.splice(0))).toEqual(idsOf([failed]))
    await run()
    await holder.rollback()
    await run()
    expect(idsOf(batches.splice(0))).toEqual(idsOf([held]))

    // as if its transaction had taken minutes, or a failover had lost its settlement
    await run()
    await service.db.raw("update datasets set ring_at = now() - interval '1 hour' where id = any(?)", [
      late.map(({ id }) => id),
    ])
    await run()
    expect(batches).toEqual([])
    scan.wholeAt -= 60_000
    await run()
    expect(idsOf(batches)).toEqual(idsOf([late]))
  })

  test.skipIf(backend === 'postgres')(
    'all waiting datasets are enqueued when the queue was wiped, after any number of attempts',
    async () => {
      const keys = await receive(300)
      await service.db.raw(
        "update datasets set rings = 9, ring_at = now() + interval '10 minutes' where id = any(?)",
        [keys.map(({ id }) => id)],
      )
      const { producer, batches } = record()
      await relayOverdue({ db: service.db, producer, log })
      expect(batches).toEqual([])
      const redis = new Redis(service.location.redis?.url ?? '')
      await redis.flushdb()
      redis.disconnect()
      await relayOverdue({ db: service.db, producer, log })
      expect(idsOf(batches)).toEqual(expect.arrayContaining(idsOf([keys])))
      expect(new Set((await listWaits(keys)).map(({ rings }) => rings))).toEqual(new Set([1]))
      await relayOverdue({ db: service.db, producer, log })
      expect(batches.flat()).toHaveLength(new Set(idsOf(batches)).size)
    },
  )

  test('an unavailable queue does not lengthen the timeout', async () => {
    const keys = await receive(3)
    await makeOverdue(keys)
    const producer = openProducer(
      backend === 'redis'
        ? { ...service.location, redis: { url: `redis://${NOWHERE}` } }
        : { database: { url: `postgres://${NOWHERE}/none`, poolMax: 2 } },
    )
    const startedAt = performance.now()
    await expect(relayOverdue({ db: service.db, producer, log })).rejects.toThrow()
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    await producer.close()
    for (const { rings, timeoutSeconds } of await listWaits(keys)) {
      expect(rings).toBe(0)
      expect(timeoutSeconds).toBeLessThan(0)
    }

    const { producer: working, batches } = record()
    await relayOverdue({ db: service.db, producer: working, log })
    expect(idsOf(batches)).toEqual(idsOf([keys]))
  })
})
