import { VELOCITY_WINDOWS, type VelocityWindow } from '../capture/velocity-counts.ts'
import { type Db, queryRows, valuesOf } from '../postgres/database.ts'

/** The kinds of identifier whose datasets are counted. */
export type SightingKind = 'device' | 'client'

/** The key of an identifier within a subscription; see `KeyForm`. */
export interface CountedKey {
  readonly subscriptionId: number
  readonly key: Buffer
}

const byKey = (a: CountedKey, b: CountedKey) => a.subscriptionId - b.subscriptionId || a.key.compare(b.key)

/** The number of datasets of an identifier, and of distinct identifiers of the other kind seen with it. */
export interface CountedTotal extends CountedKey {
  readonly datasets: number
  readonly others: number
}

const TABLES = {
  device: { table: 'devices', key: 'device_key', others: 'clients' },
  client: { table: 'clients', key: 'client_key', others: 'devices' },
} as const

/**
 * Adds to the count of each identifier and returns the new totals; 0 only locks it. Each identifier may occur once.
 *
 * Rows are locked in key order, devices before clients by the caller: otherwise concurrent batches with the same identifiers
 * deadlock. The lock lasts until the transaction ends, so that places are assigned one by one.
 */
export async function addDatasets(
  trx: Db,
  kind: SightingKind,
  counts: readonly (CountedKey & { datasets: number })[],
): Promise<CountedTotal[]> {
  if (counts.length === 0) return []
  const { table, key, others } = TABLES[kind]
  const { sql: rows, bindings } = valuesOf(
    ['integer', 'bytea', 'integer'],
    counts.toSorted(byKey).map((count) => [count.subscriptionId, count.key, count.datasets]),
  )
  return queryRows(
    trx,
    `insert into ${table} as t (subscription_id, ${key}, datasets) values ${rows}
     on conflict (subscription_id, ${key}) do update set datasets = t.datasets + excluded.datasets
     returning subscription_id as "subscriptionId", ${key} as key, datasets, ${others} as others`,
    bindings,
  )
}

/** A client seen on a device; keys as pairs have them. */
export interface Pair {
  readonly subscriptionId: number
  readonly client: Buffer
  readonly device: Buffer
}

/** A pair, and the key of its device's counter, which differs while a subscription is rekeyed. */
export interface CountedPair extends Pair {
  readonly counter: Buffer
}

/**
 * Records which clients were seen on which devices, each pair once, and counts the new pairs on both sides.
 *
 * `addDatasets` has already locked the rows of both.
 *
 * @returns the new pairs.
 */
export async function addPairs(trx: Db, pairs: readonly CountedPair[]): Promise<Pair[]> {
  if (pairs.length === 0) return []
  const { sql: rows, bindings } = valuesOf(
    ['integer', 'bytea', 'bytea', 'bytea'],
    pairs
      .toSorted(
        (a, b) =>
          a.subscriptionId - b.subscriptionId || a.client.compare(b.client) || a.device.compare(b.device),
      )
      .map((pair) => [pair.subscriptionId, pair.client, pair.device, pair.counter]),
  )
  return queryRows(
    trx,
    `with sent (subscription_id, client_key, device_key, counter) as (values ${rows}), fresh as (
       insert into client_devices (subscription_id, client_key, device_key)
       select subscription_id, client_key, device_key from sent
       on conflict do nothing
       returning subscription_id, client_key, device_key
     ), of_devices as (
       update devices d set clients = d.clients + f.n
       from (
         select subscription_id, counter, count(*) as n
         from fresh join sent using (subscription_id, client_key, device_key) group by 1, 2
       ) f
       where d.subscription_id = f.subscription_id and d.device_key = f.counter
     ), of_clients as (
       update clients c set devices = c.devices + f.n
       from (select subscription_id, client_key, count(*) as n from fresh group by 1, 2) f
       where c.subscription_id = f.subscription_id and c.client_key = f.client_key
     )
     select subscription_id as "subscriptionId", client_key as client, device_key as device from fresh`,
    bindings,
  )
}

/** The `place`-th dataset of an identifier, and the time of its upload as an ISO 8601 text. */
export interface Sighting extends CountedKey {
  readonly kind: SightingKind
  readonly place: number
  readonly uploadedAt: string
}

/**
 * Records sightings and counts, for each, the datasets of its identifier in every window that ends with it.
 *
 * A sighting's time is its upload, or the time of the sighting before it if that is later (datasets processed out of order, info
 * saved late). Times therefore never decrease with places, and the count of a window is the distance to the first place in it:
 * one index probe, however frequent the identifier is.
 *
 * @param sightings the places of each identifier in order, with upload times that do not decrease.
 * @returns windows in the order of the sightings.
 */
export async function addSightings(
  trx: Db,
  sightings: readonly Sighting[],
): Promise<Record<VelocityWindow, number>[]> {
  if (sightings.length === 0) return []
  const { sql: rows, bindings } = valuesOf(
    ['integer', 'text', 'bytea', 'timestamptz', 'integer'],
    sightings.map((s) => [s.subscriptionId, s.kind, s.key, s.uploadedAt, s.place]),
  )
  const recorded = await queryRows<CountedKey & { kind: SightingKind; place: number; at: string }>(
    trx,
    `insert into sightings (subscription_id, kind, key, at, place)
     select v.subscription_id, v.kind, v.key, greatest(v.at, before.at), v.place
     from (values ${rows}) v (subscription_id, kind, key, at, place)
     left join lateral (
       select s.at from sightings s
       where s.subscription_id = v.subscription_id and s.kind = v.kind and s.key = v.key
       order by s.at desc limit 1
     ) before on true
     returning subscription_id as "subscriptionId", kind, key, place, at::text`,
    bindings,
  )
  const sightingText = (s: CountedKey & { kind: SightingKind; place: number }) =>
    `${s.subscriptionId} ${s.kind} ${s.key.toString('base64')} ${s.place}`
  const windows = new Map(recorded.map((s) => [sightingText(s), { ...FIRST }]))
  await countWindows(
    trx,
    recorded.filter((s) => s.place > 1),
    (sighting, window, datasets) => {
      const counts = windows.get(sightingText(sighting))
      if (counts) counts[window] = datasets
    },
  )
  return sightings.map((sighting) => windows.get(sightingText(sighting)) ?? { ...FIRST })
}

const WINDOW_NAMES = Object.keys(VELOCITY_WINDOWS) as VelocityWindow[]

/** The windows of an identifier's first dataset. */
const FIRST = Object.fromEntries(WINDOW_NAMES.map((name) => [name, 1])) as Record<VelocityWindow, number>

async function countWindows<S extends CountedKey & { kind: SightingKind; place: number; at: string }>(
  trx: Db,
  sightings: readonly S[],
  found: (sighting: S, window: VelocityWindow, datasets: number) => void,
): Promise<void> {
  if (sightings.length === 0) return
  const { sql: rows, bindings } = valuesOf(
    ['integer', 'integer', 'text', 'bytea', 'timestamptz', 'integer'],
    sightings.map((s, n) => [n, s.subscriptionId, s.kind, s.key, s.at, s.place]),
  )
  const counts = await queryRows<{ n: number; window: VelocityWindow; datasets: number }>(
    trx,
    `select v.n, w.name as window, v.place - first.place + 1 as datasets
     from (values ${rows}) v (n, subscription_id, kind, key, at, place)
     cross join unnest(?::text[], ?::integer[]) w (name, seconds)
     cross join lateral (
       select s.place from sightings s
       where s.subscription_id = v.subscription_id and s.kind = v.kind and s.key = v.key
         and s.at > v.at - make_interval(secs => w.seconds)
       order by s.at, s.place limit 1
     ) first`,
    [...bindings, WINDOW_NAMES, Object.values(VELOCITY_WINDOWS)],
  )
  for (const count of counts) {
    const sighting = sightings[count.n]
    if (sighting) found(sighting, count.window, count.datasets)
  }
}
