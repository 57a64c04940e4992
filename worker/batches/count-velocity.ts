import type { Velocity, WindowCounts } from '../../db/capture/velocity-counts.ts'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import {
  addDatasets,
  addPairs,
  addSightings,
  type CountedPair,
  type Pair,
  type Sighting,
  type SightingKind,
} from '../../db/datasets/velocity.ts'
import { HASH_FORM, hashIdentifier, type KeyForm } from '../../db/datasets/velocity-keys.ts'
import type { Db } from '../../db/postgres/database.ts'

/** A dataset to be counted. */
export interface Countable extends DatasetKey {
  /** undefined when the capture has none. */
  readonly deviceId: string | undefined
  /** `clientId` identifies the client. */
  readonly additionalInfo: Readonly<Record<string, string | null>>
  /** In UTC with six fractional digits and Z. */
  readonly uploadedAt: string
  /** Counted for it earlier, which stays unchanged; null the first time. */
  readonly velocity: Velocity | null
}

/**
 * Counts datasets on their devices and clients, each only once, and returns their velocity.
 *
 * Within a batch, counts follow the time of upload. Call it in the transaction that claims the datasets, so that counters
 * change only if the datasets are settled.
 *
 * @param forms by subscription, of `lockKeyForms` in the same transaction.
 */
export async function countVelocity<D extends Countable>(
  trx: Db,
  datasets: readonly D[],
  forms: ReadonlyMap<number, KeyForm> = new Map(),
): Promise<Map<D, Velocity>> {
  const steps = datasets
    .map((dataset) => identify(dataset, forms.get(dataset.subscriptionId) ?? HASH_FORM))
    .toSorted(byUpload)

  // Sent at once, executed in this order: devices before clients, and a pair's device even when nothing new counts on it, so
  // that all batches lock in the same order.
  const [devices, clients, pairs] = await Promise.all([
    openCounters(
      trx,
      'device',
      steps.filter((step) => step.newDevice || step.newClient),
    ),
    openCounters(
      trx,
      'client',
      steps.filter((step) => step.newClient),
    ),
    addPairs(trx, listPairs(steps)),
  ])
  const fresh = new Set(pairs.map(nameOfPair))

  const counted = steps.map((step) => count(step, devices, clients, fresh))
  const sightings = counted.flatMap(listSightings)
  const windows = new Map<Sighting, WindowCounts>()
  for (const [at, counts] of (await addSightings(trx, sightings)).entries())
    windows.set(sightings[at] as Sighting, counts)

  return new Map(counted.map((dataset) => [dataset.step.dataset, velocityOf(dataset, windows)]))
}

/** A dataset with the keys of its identifiers, and which of them are not counted yet. */
interface Step<D extends Countable> {
  readonly dataset: D
  readonly device: Buffer | undefined
  readonly client: Buffer | undefined
  /** undefined unless it has both. */
  readonly pair: CountedPair | undefined
  readonly newDevice: boolean
  readonly newClient: boolean
}

function identify<D extends Countable>(dataset: D, form: KeyForm): Step<D> {
  const { subscriptionId, deviceId, velocity } = dataset
  const clientId = dataset.additionalInfo.clientId || undefined
  const deviceHash = deviceId === undefined ? undefined : hashIdentifier(deviceId)
  const clientHash = clientId === undefined ? undefined : hashIdentifier(clientId)
  const device = deviceHash && form.keyOf(deviceHash)
  const client = clientHash && form.keyOf(clientHash)
  return {
    dataset,
    device,
    client,
    pair:
      client && device
        ? {
            ...{ subscriptionId, client, counter: device },
            device: form.isUniform ? device : form.keyInPair(deviceHash, clientHash),
          }
        : undefined,
    newDevice: deviceId !== undefined && !velocity?.device,
    newClient: clientId !== undefined && !velocity?.client,
  }
}

const byUpload = ({ dataset: a }: Step<Countable>, { dataset: b }: Step<Countable>) =>
  a.uploadedAt < b.uploadedAt ? -1 : a.uploadedAt > b.uploadedAt ? 1 : a.id - b.id

/** The running counts of one identifier. */
interface Counter {
  datasets: number
  others: number
}

type Counters = Map<string, Counter>

const nameOfKey = (subscriptionId: number, key: Buffer) => `${subscriptionId} ${key.toString('base64')}`

const nameOfPair = ({ subscriptionId, client, device }: Pair) =>
  `${nameOfKey(subscriptionId, client)} ${device.toString('base64')}`

/** Locks the counters of the steps and returns their values from before. */
async function openCounters(
  trx: Db,
  kind: SightingKind,
  steps: readonly Step<Countable>[],
): Promise<Counters> {
  const added = new Map<string, { subscriptionId: number; key: Buffer; datasets: number }>()
  for (const step of steps) {
    const key = step[kind]
    if (!key) continue
    const { subscriptionId } = step.dataset
    const name = nameOfKey(subscriptionId, key)
    const entry = added.get(name) ?? { subscriptionId, key, datasets: 0 }
    if (kind === 'device' ? step.newDevice : step.newClient) entry.datasets++
    added.set(name, entry)
  }
  const totals = await addDatasets(trx, kind, [...added.values()])
  return new Map(
    totals.map((total) => {
      const name = nameOfKey(total.subscriptionId, total.key)
      return [name, { datasets: total.datasets - (added.get(name)?.datasets ?? 0), others: total.others }]
    }),
  )
}

function listPairs(steps: readonly Step<Countable>[]): CountedPair[] {
  const pairs = new Map<string, CountedPair>()
  for (const { pair, newClient } of steps) if (newClient && pair) pairs.set(nameOfPair(pair), pair)
  return [...pairs.values()]
}

/** A dataset with its counts. */
interface Counted<D extends Countable> {
  readonly step: Step<D>
  readonly device:
    | { readonly place: number; readonly clients: number | null; readonly sighting: Sighting | undefined }
    | undefined
  readonly client:
    | { readonly place: number; readonly devices: number; readonly sighting: Sighting }
    | undefined
}

/** Increments the counts of its device and client; a pair counts with the first of its datasets. */
function count<D extends Countable>(
  step: Step<D>,
  devices: Counters,
  clients: Counters,
  fresh: Set<string>,
): Counted<D> {
  const { dataset, newDevice, newClient } = step
  const { subscriptionId } = dataset
  const device = step.device && devices.get(nameOfKey(subscriptionId, step.device))
  const client = step.client && newClient ? clients.get(nameOfKey(subscriptionId, step.client)) : undefined
  if (device && newDevice) device.datasets++
  if (client) client.datasets++
  if (device && client && step.pair) {
    const isFresh = fresh.delete(nameOfPair(step.pair))
    device.others += Number(isFresh)
    client.others += Number(isFresh)
  }
  const sighting = (kind: SightingKind, key: Buffer, place: number): Sighting => ({
    subscriptionId,
    kind,
    key,
    place,
    uploadedAt: dataset.uploadedAt,
  })
  return {
    step,
    device: device &&
      step.device && {
        place: device.datasets,
        clients: client ? device.others : null,
        sighting: newDevice ? sighting('device', step.device, device.datasets) : undefined,
      },
    client: client &&
      step.client && {
        place: client.datasets,
        devices: client.others,
        sighting: sighting('client', step.client, client.datasets),
      },
  }
}

const listSightings = ({ device, client }: Counted<Countable>): Sighting[] =>
  [device?.sighting, client?.sighting].filter((sighting) => sighting !== undefined)

function velocityOf(
  { step, device, client }: Counted<Countable>,
  windows: Map<Sighting, WindowCounts>,
): Velocity {
  const before = step.dataset.velocity
  const windowsOf = (sighting: Sighting) => windows.get(sighting) as WindowCounts
  return {
    device: device?.sighting
      ? { datasets: device.place, windows: windowsOf(device.sighting), clients: device.clients }
      : before?.device
        ? { ...before.device, clients: device?.clients ?? before.device.clients }
        : null,
    client: client
      ? {
          id: step.dataset.additionalInfo.clientId ?? '',
          datasets: client.place,
          devices: client.devices,
          windows: windowsOf(client.sighting),
        }
      : (before?.client ?? null),
  }
}
