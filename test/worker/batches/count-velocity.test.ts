import pLimit from 'p-limit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VELOCITY_WINDOWS, type Velocity, type VelocityWindow } from '../../../db/capture/velocity-counts.ts'
import { saveAdditionalInfo } from '../../../db/datasets/additional-info.ts'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import { requeueDatasets } from '../../../db/datasets/requeue-datasets.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { createRandom, type Random } from '../../../scripts/captures/random.ts'
import { anActor } from '../../support/actors.ts'
import { aCapture } from '../../support/captures.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench
let devices = 0

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

/** A device id that no other test uses. */
const newDevice = () => `device ${++devices}`

const on = (deviceId: string | undefined, clientId?: string, rest: object = {}) => ({
  capture: aCapture({ device: { id: deviceId } }),
  additionalInfo: clientId === undefined ? {} : { clientId },
  ...rest,
})

const listVelocity = async (keys: readonly DatasetKey[]) =>
  (await bench.list(keys)).map(({ velocity }) => velocity)

const placesOf = async (keys: readonly DatasetKey[]) =>
  (await listVelocity(keys)).map((velocity) => velocity?.device?.datasets)

const oneTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1)
const ascending = (numbers: readonly (number | undefined)[]) =>
  numbers.toSorted((a, b) => (a ?? 0) - (b ?? 0))

function shuffle<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, rank: random.float() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

/** Cuts into batches of 1 to `largest`. */
function cut<T>(items: readonly T[], largest: number, random: Random): T[][] {
  const batches: T[][] = []
  for (let at = 0; at < items.length; ) {
    const size = random.int(1, largest)
    batches.push(items.slice(at, at + size))
    at += size
  }
  return batches
}

describe('under concurrency', () => {
  test.each([1, 2, 3])(
    'N datasets of a device have the places 1 to N, however batches overlap, repeat and are shuffled (seed %i)',
    async (seed) => {
      const random = createRandom(`velocity ${seed}`)
      const hot = newDevice()
      const cold = Array.from({ length: 7 }, newDevice)
      const clients = Array.from({ length: 6 }, (_, n) => `client ${seed} ${n}`)
      const subscriptionId = await bench.openSubscription()
      const drawn = Array.from({ length: 300 }, () => ({
        deviceId: random.chance(1 / 3) ? hot : (cold[random.int(0, cold.length - 1)] ?? hot),
        clientId: random.chance(0.2) ? undefined : clients[random.int(0, clients.length - 1)],
      }))
      const keys = await bench.receive(
        ...drawn.map(({ deviceId, clientId }) => on(deviceId, clientId, { subscriptionId })),
      )
      const deliveries = shuffle([...keys, ...keys, ...keys.filter(() => random.chance(0.5))], random)
      const batches = cut(deliveries, 40, random)
      const atOnce = pLimit(12)
      await Promise.all(batches.map((some) => atOnce(() => bench.process(some))))

      const stored = await bench.list(keys)
      expect(stored.filter(({ status, waiting }) => status !== 'ready' || waiting)).toEqual([])
      const datasets = stored.map(({ velocity }, n) => ({ ...drawn[n], velocity }))
      for (const deviceId of [hot, ...cold]) {
        const own = datasets.filter((dataset) => dataset.deviceId === deviceId)
        expect(ascending(own.map(({ velocity }) => velocity?.device?.datasets))).toEqual(oneTo(own.length))
        const seen = new Set(own.flatMap(({ clientId }) => clientId ?? []))
        expect(Math.max(...own.map(({ velocity }) => velocity?.device?.clients ?? 0))).toBe(seen.size)
      }
      for (const clientId of clients) {
        const own = datasets.filter((dataset) => dataset.clientId === clientId)
        expect(ascending(own.map(({ velocity }) => velocity?.client?.datasets))).toEqual(oneTo(own.length))
        const used = new Set(own.map(({ deviceId }) => deviceId))
        expect(Math.max(...own.map(({ velocity }) => velocity?.client?.devices ?? 0))).toBe(used.size)
      }
      expect(await countTotals(subscriptionId)).toEqual({
        devices: 300,
        clients: drawn.filter(({ clientId }) => clientId !== undefined).length,
        sightings: 300 + drawn.filter(({ clientId }) => clientId !== undefined).length,
        pairs: new Set(drawn.flatMap(({ deviceId, clientId }) => (clientId ? `${deviceId} ${clientId}` : [])))
          .size,
      })
    },
  )

  test('a dataset delivered five times at once is counted once', async () => {
    const deviceId = newDevice()
    for (let round = 1; round <= 10; round++) {
      const keys = await bench.receive(on(deviceId, 'five'))
      await Promise.all(oneTo(5).map(() => bench.process(keys)))
      expect(await placesOf(keys)).toEqual([round])
    }
  })

  test('a dataset that is five times in one batch is counted once, and does not fail its batch', async () => {
    const deviceId = newDevice()
    const [one, other] = (await bench.receive(on(deviceId), on(deviceId))) as [DatasetKey, DatasetKey]
    await bench.process([one, one, other, one, one, other, one])
    expect(await placesOf([one, other])).toEqual([1, 2])
  })

  test('delivered again when it is ready it stays as it is', async () => {
    const deviceId = newDevice()
    const keys = await bench.receive(on(deviceId, 'again'), on(deviceId, 'again'))
    await bench.process(keys)
    const before = await bench.list(keys)
    const insight = await bench.findInsight(keys[0] as DatasetKey)
    await bench.process(keys.toReversed())
    await Promise.all(keys.map((key) => bench.process([key])))
    expect(await bench.list(keys)).toEqual(before)
    expect(await bench.findInsight(keys[0] as DatasetKey)).toEqual(insight)
  })
})

describe('in a batch', () => {
  test('places follow the time of upload, not the order of delivery', async () => {
    const deviceId = newDevice()
    const times = ['2026-11-20T10:00:02Z', '2026-11-20T10:00:00Z', '2026-11-20T10:00:01Z']
    const keys = await bench.receive(...times.map((uploadedAt) => on(deviceId, undefined, { uploadedAt })))
    await bench.process(keys)
    expect(await placesOf(keys)).toEqual([3, 1, 2])
  })

  test('each dataset counts the devices and clients up to its own place', async () => {
    const [one, other] = [newDevice(), newDevice()]
    const [ann, bob] = [`ann of ${one}`, `bob of ${one}`]
    const keys = await bench.receive(
      on(one, ann),
      on(one, bob),
      on(other, ann),
      on(one, ann),
      on(one),
      on(other, bob),
      on(undefined, ann),
    )
    await bench.process(keys)
    const counts = (await listVelocity(keys)).map((velocity) => [
      velocity?.device?.datasets,
      velocity?.device?.clients,
      velocity?.client?.datasets,
      velocity?.client?.devices,
    ])
    expect(counts).toEqual([
      [1, 1, 1, 1],
      [2, 2, 1, 1],
      [1, 1, 2, 2],
      [3, 2, 3, 2],
      [4, null, undefined, undefined],
      [2, 2, 2, 2],
      [undefined, undefined, 4, 2],
    ])
  })
})

test.each([undefined, '', null])('a capture with device id %j has no velocity by device', async (id) => {
  const [key] = (await bench.receive({ capture: aCapture({ device: { id } }) })) as [DatasetKey]
  await bench.process([key])
  expect((await bench.find(key)).velocity).toEqual({ device: null, client: null })
  const fragments = (await bench.findInsight(key))?.fragments as { code: string; value: unknown }[]
  expect(fragments.find(({ code }) => code === 'velocity')?.value).toEqual({
    isRepeatableUpload: '0',
    associatedDatasetsCount: '1',
  })
})

test('subscriptions never share counts, not even in one batch', async () => {
  const deviceId = newDevice()
  const other = await bench.openSubscription()
  const keys = await bench.receive(
    on(deviceId, 'shared'),
    on(deviceId, 'shared', { subscriptionId: other }),
    on(deviceId, 'shared'),
    on(deviceId, 'shared', { subscriptionId: other }),
  )
  await bench.process(keys)
  const velocities = await listVelocity(keys)
  expect(velocities.map((velocity) => velocity?.device?.datasets)).toEqual([1, 1, 2, 2])
  expect(velocities.map((velocity) => velocity?.client?.datasets)).toEqual([1, 1, 2, 2])
  expect(velocities.map((velocity) => velocity?.device?.clients)).toEqual([1, 1, 1, 1])
})

describe('windows', () => {
  test.each(['random times', 'few times'])('are as a simple count has them, over %s', async (kind) => {
    const random = createRandom(kind)
    const subscriptionId = await bench.openSubscription()
    const from = Date.now() - 20 * 86_400_000
    const drawn = Array.from({ length: 150 }, () => {
      // from seconds to weeks between two uploads, or many at the very same time
      const spread = [60, 3_600, 90_000, 2_000_000][random.int(0, 3)] ?? 60
      return {
        at: from + 1_000 * (kind === 'few times' ? 600 * random.int(0, 5) : random.int(0, spread)),
        deviceId: `w${random.int(0, 2)}`,
        clientId: random.chance(0.3) ? undefined : `w${random.int(0, 1)}`,
      }
    }).toSorted((a, b) => a.at - b.at)
    const keys = await bench.receive(
      ...drawn.map(({ at, deviceId, clientId }) =>
        on(deviceId, clientId, { subscriptionId, uploadedAt: new Date(at).toISOString() }),
      ),
    )
    for (const some of cut(keys, 20, random)) await bench.process(shuffle(some, random))

    const velocities = await listVelocity(keys)
    const expected = drawn.map((dataset, n) => {
      const before = drawn.slice(0, n + 1)
      const windowsOf = (identifier: 'deviceId' | 'clientId') =>
        countWindows(
          before.filter((other) => other[identifier] === dataset[identifier]).map(({ at }) => at),
          dataset.at,
        )
      return [windowsOf('deviceId'), dataset.clientId === undefined ? undefined : windowsOf('clientId')]
    })
    expect(velocities.map((velocity) => [velocity?.device?.windows, velocity?.client?.windows])).toEqual(
      expected,
    )
    expect(new Set(expected.map((windows) => JSON.stringify(windows))).size).toBeGreaterThan(30)
  })

  test('end where they say, to the microsecond', async () => {
    const deviceId = newDevice()
    const times = ['10:00:00.000000', '10:00:00.000001', '10:10:00.000000', '10:10:00.000001'].map(
      (time) => `2026-11-20T${time}Z`,
    )
    const keys = await bench.receive(...times.map((uploadedAt) => on(deviceId, undefined, { uploadedAt })))
    for (const key of keys) await bench.process([key])
    expect((await listVelocity(keys)).map((velocity) => velocity?.device?.windows['10m'])).toEqual([
      1, 2, 2, 2,
    ])
  })

  test('of a dataset that is processed after a later one count from the later one', async () => {
    const deviceId = newDevice()
    const keys = await bench.receive(
      on(deviceId, undefined, { uploadedAt: '2026-11-20T12:00:00Z' }),
      on(deviceId, undefined, { uploadedAt: '2026-11-20T10:00:00Z' }),
      on(deviceId, undefined, { uploadedAt: '2026-11-20T12:30:00Z' }),
    )
    for (const key of keys) await bench.process([key])
    const windows = (await listVelocity(keys)).map((velocity) => velocity?.device?.windows)
    expect(windows.map((counts) => [counts?.['10m'], counts?.['1h'], counts?.['24h']])).toEqual([
      [1, 1, 1],
      [2, 2, 2],
      [1, 3, 3],
    ])
  })
})

describe('a batch whose transaction fails', () => {
  /** Datasets of this reference number cannot be settled until the returned function was called. */
  async function refuse(referenceNumber: string, code: string): Promise<() => Promise<void>> {
    await bench.owner.raw(`
      create function refuse() returns trigger language plpgsql as $$ begin
        raise exception 'refused' using errcode = '${code}';
      end $$;
      create trigger refuse before update of status on datasets for each row
      when (new.status = 'ready' and new.reference_number = '${referenceNumber}') execute function refuse();
    `)
    return async () => void (await bench.owner.raw('drop trigger refuse on datasets; drop function refuse()'))
  }

  test('leaves no count; its neighbours are settled, and what failed can be processed later', async () => {
    const deviceId = newDevice()
    const keys = await bench.receive(...oneTo(9).map(() => on(deviceId, `of ${deviceId}`)))
    const culprit = keys[4] as DatasetKey
    const allow = await refuse((await bench.find(culprit)).referenceNumber, 'P0001')
    await expect(bench.process(keys)).rejects.toThrow('refused')
    const [refused, ...neighbours] = await bench.list([culprit, ...keys.filter((key) => key !== culprit)])
    expect(refused).toMatchObject({ status: 'received', waiting: true, velocity: null })
    expect(neighbours.map(({ status, waiting }) => [status, waiting])).toEqual(
      Array(8).fill(['ready', false]),
    )
    expect(neighbours.map(({ velocity }) => velocity?.device?.datasets)).toEqual(oneTo(8))
    expect(neighbours.map(({ velocity }) => velocity?.client?.datasets)).toEqual(oneTo(8))
    expect(await bench.findInsight(culprit)).toBeUndefined()

    await expect(bench.process([culprit])).rejects.toThrow('refused')
    await allow()
    await bench.process(keys)
    const { status, velocity } = await bench.find(culprit)
    expect([status, velocity?.device?.datasets, velocity?.client?.datasets]).toEqual(['ready', 9, 9])
  })

  test('for a passing reason waits as a whole, uncounted, for its next delivery', async () => {
    const deviceId = newDevice()
    const keys = await bench.receive(...oneTo(4).map(() => on(deviceId)))
    const allow = await refuse((await bench.find(keys[2] as DatasetKey)).referenceNumber, '40P01')
    await expect(bench.process(keys)).rejects.toThrow('refused')
    await allow()
    const unsettled = await bench.list(keys)
    expect(unsettled.map(({ status, velocity }) => [status, velocity])).toEqual(
      Array(4).fill(['received', null]),
    )
    await bench.process(keys)
    expect(await placesOf(keys)).toEqual(oneTo(4))
  })
})

describe('Additional Info that comes later', () => {
  async function saveClient(key: DatasetKey, clientId: string): Promise<void> {
    const { referenceNumber } = await bench.find(key)
    const saved = await saveAdditionalInfo(
      bench.db,
      key.subscriptionId,
      referenceNumber,
      { clientId },
      anActor('backend'),
    )
    expect(saved).toMatchObject({ outcome: 'saved', toEnqueue: key })
    await bench.process([key])
  }

  test('counts the client once and leaves the device as it was', async () => {
    const deviceId = newDevice()
    const clientId = `late on ${deviceId}`
    const [first, second] = (await bench.receive(on(deviceId), on(deviceId))) as [DatasetKey, DatasetKey]
    await bench.process([first, second])
    const before = (await bench.find(first)).velocity

    await saveClient(first, clientId)
    const after = (await bench.find(first)).velocity
    expect(after?.device).toEqual({ ...before?.device, clients: 1 })
    expect(after?.client).toMatchObject({ id: clientId, datasets: 1, devices: 1 })

    await bench.process([first])
    const more = await saveAdditionalInfo(
      bench.db,
      bench.subscriptionId,
      (await bench.find(first)).referenceNumber,
      {
        clientId,
        purpose: 'car',
      },
      anActor('backend'),
    )
    expect(more.outcome).toBe('saved')
    await bench.process([first])
    expect((await bench.find(first)).velocity).toEqual(after)

    await saveClient(second, clientId)
    expect((await bench.find(second)).velocity).toMatchObject({
      device: { datasets: 2, clients: 1 },
      client: { datasets: 2, devices: 1 },
    })
  })

  test('counts devices per client and clients per device once each', async () => {
    const [one, other] = [newDevice(), newDevice()]
    const [ann, bob] = [`ann late on ${one}`, `bob late on ${one}`]
    const steps = [
      [one, ann, 1, 1],
      [one, ann, 1, 1],
      [other, ann, 2, 1],
      [one, bob, 1, 2],
      [other, bob, 2, 2],
      [one, bob, 2, 2],
    ] as const
    const keys = await bench.receive(...steps.map(([deviceId]) => on(deviceId)))
    await bench.process(keys)
    for (const [n, [, clientId, devicesOfClient, clientsOfDevice]] of steps.entries()) {
      const key = keys[n] as DatasetKey
      await saveClient(key, clientId)
      const { velocity } = await bench.find(key)
      expect([velocity?.client?.devices, velocity?.device?.clients]).toEqual([
        devicesOfClient,
        clientsOfDevice,
      ])
    }
  })

  test('is counted exactly when uploads and info of one client are processed at once', async () => {
    const deviceId = newDevice()
    const clientId = `at once on ${deviceId}`
    const early = await bench.receive(...oneTo(20).map(() => on(deviceId)))
    await bench.process(early)
    const late = await bench.receive(...oneTo(20).map(() => on(deviceId, clientId)))
    await Promise.all([
      ...early.map((key) => saveClient(key, clientId)),
      ...cut(late, 5, createRandom(1)).map((some) => bench.process(some)),
    ])
    const velocities = await listVelocity([...early, ...late])
    expect(ascending(velocities.map((velocity) => velocity?.client?.datasets))).toEqual(oneTo(40))
    expect(ascending(velocities.map((velocity) => velocity?.device?.datasets))).toEqual(oneTo(40))
    expect(new Set(velocities.map((velocity) => velocity?.client?.devices))).toEqual(new Set([1]))
  })
})

test('processing everything again leaves velocity as it was', async () => {
  const subscriptionId = await bench.openSubscription()
  const [one, other] = [newDevice(), newDevice()]
  const keys = await bench.receive(
    ...[on(one, 'a'), on(one, 'b'), on(other, 'a'), on(undefined, 'a'), on(one)].map((dataset) => ({
      ...dataset,
      subscriptionId,
    })),
  )
  await bench.process(keys)
  const before = await listVelocity(keys)
  const totals = await countTotals(subscriptionId)

  const requeued = await requeueDatasets(bench.db, keys, anActor('me'))
  expect(requeued).toEqual(keys)
  expect((await bench.list(keys)).every(({ waiting }) => waiting)).toBe(true)
  await Promise.all([bench.process(requeued), bench.process(requeued.toReversed())])
  expect((await bench.list(keys)).some(({ waiting }) => waiting)).toBe(false)
  expect(await listVelocity(keys)).toEqual(before)
  expect(await countTotals(subscriptionId)).toEqual(totals)
})

/** What the counters of a subscription add up to. */
async function countTotals(subscriptionId: number): Promise<unknown> {
  const [totals] = await queryRows(
    bench.db,
    `select (select sum(datasets) from devices where subscription_id = ?)::integer as devices,
            (select sum(datasets) from clients where subscription_id = ?)::integer as clients,
            (select count(*) from sightings where subscription_id = ?)::integer as sightings,
            (select count(*) from client_devices where subscription_id = ?)::integer as pairs`,
    Array(4).fill(subscriptionId),
  )
  return totals
}

/** Datasets in each window that ends with the time. */
const countWindows = (times: readonly number[], end: number): NonNullable<Velocity['device']>['windows'] =>
  Object.fromEntries(
    Object.entries(VELOCITY_WINDOWS).map(([name, seconds]) => [
      name,
      times.filter((time) => time > end - seconds * 1_000).length,
    ]),
  ) as Record<VelocityWindow, number>
