import { hash } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import { deleteDatasets } from '../../../db/datasets/delete-datasets.ts'
import {
  findKnownKeys,
  hashIdentifier,
  lockKeyForms,
  rekeyVelocity,
} from '../../../db/datasets/velocity-keys.ts'
import { openVault, PLAIN_VAULT, type Vault } from '../../../db/encryption/vault.ts'
import { makeWrappingJwk, wrappingKeysOf } from '../../../db/encryption/wrapping-keys.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { eraseNext } from '../../../db/privacy/erasure.ts'
import { summarisePerson } from '../../../db/privacy/find-person.ts'
import { PERSON_KINDS, type Person, type PersonKind } from '../../../db/privacy/person.ts'
import {
  findPrivacyRequest,
  type PrivacyRequest,
  requestErasure,
} from '../../../db/privacy/privacy-requests.ts'
import { listStoredDatasets } from '../../../db/privacy/stored-of-person.ts'
import { createRandom, type Random } from '../../../scripts/captures/random.ts'
import { processBatch } from '../../../worker/batches/process-batch.ts'
import { erasePersons } from '../../../worker/maintenance/erase-persons.ts'
import { anActor } from '../../support/actors.ts'
import { aCapture } from '../../support/captures.ts'
import { collect } from '../../support/collections.ts'
import { countTransactionPages } from '../../support/count-transaction-pages.ts'
import { listRows } from '../../support/list-rows.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench
const actor = anActor('ann')
const log = pino({ level: 'silent' })

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

interface Drawn {
  readonly device: string | undefined
  readonly client: string | undefined
}

const upload = ({ device, client }: Drawn, subscriptionId: number) => ({
  subscriptionId,
  capture: aCapture({ device: { id: device } }),
  additionalInfo: client === undefined ? {} : { clientId: client, note: `of ${client}` },
})

const idOf = (drawn: Drawn, kind: PersonKind) => drawn[kind]

/** Does all steps of an erasure. */
async function eraseAll(vault: Vault, { id }: PrivacyRequest, subscriptionId: number): Promise<void> {
  for (let step = 0; step < 1_000; step++)
    if ((await eraseNext(bench.db, vault, { subscriptionId, id })) === 'done') return
  throw new Error('The erasure does not end')
}

interface CounterRow {
  readonly kind: PersonKind
  readonly key: string
  readonly datasets: number
  readonly others: number
  /** Rows of pairs. */
  readonly pairs: number
}

const listCounters = (subscriptionId: number): Promise<CounterRow[]> =>
  queryRows(
    bench.db,
    `select 'device' as kind, encode(device_key, 'hex') as key, datasets, clients as others,
            (select count(*)::int from client_devices p where p.subscription_id = c.subscription_id and p.device_key = c.device_key) as pairs
     from devices c where subscription_id = ?
     union all
     select 'client', encode(client_key, 'hex'), datasets, devices,
            (select count(*)::int from client_devices p where p.subscription_id = c.subscription_id and p.client_key = c.client_key)
     from clients c where subscription_id = ?`,
    [subscriptionId, subscriptionId],
  )

/** A subscription, encrypted or not, with its processor. */
async function openSubject(isEncrypted: boolean) {
  const subscriptionId = await bench.openSubscription()
  const vault = isEncrypted ? openVault(bench.db, wrappingKeysOf([makeWrappingJwk()])) : PLAIN_VAULT
  if (isEncrypted) {
    await bench.db.raw('update encryption_start set starts_at = now()')
    const keys = await vault.findKeys(subscriptionId)
    if (!keys || !(await rekeyVelocity(bench.db, subscriptionId, keys, 100))) throw new Error('not rekeyed')
  }
  const process = (keys: readonly DatasetKey[]) => processBatch({ ...bench.context, vault }, keys)
  const known = await findKnownKeys(vault, [subscriptionId])
  const form = await bench.db.transaction(
    async (trx) => (await lockKeyForms(trx, vault, known)).get(subscriptionId) as never,
  )
  const keyOf = (id: string): string =>
    (form as { keyOf(hash: Buffer): Buffer }).keyOf(hashIdentifier(id)).toString('hex')
  return { subscriptionId, vault, process, keyOf }
}

const draw = (random: Random, seed: string, n: number): Drawn[] =>
  Array.from({ length: n }, () => ({
    device: random.chance(0.1) ? undefined : `device-${seed}-${random.int(1, 4)}`,
    client: random.chance(0.3) ? undefined : `client-${seed}-${random.int(1, 4)}`,
  }))

describe.each(['client', 'device'] as const)('erasing a %s', (kind) => {
  const otherKind = kind === 'client' ? 'device' : 'client'

  test.each([1, 2, 3, 4])(
    'leaves the counts of others exact, and no trace of the person (seed %i)',
    async (n) => {
      const seed = `${kind}-${n}`
      const random = createRandom(`erasure ${seed}`)
      const { subscriptionId, vault, process, keyOf } = await openSubject(n % 2 === 0)
      const drawn = draw(random, seed, 40)
      const keys = await bench.receive(...drawn.map((one) => upload(one, subscriptionId)))
      await process(keys)
      const gone = new Set(keys.flatMap((_, at) => (random.chance(0.2) ? [at] : [])))
      await bench.db.transaction((trx) =>
        deleteDatasets(
          trx,
          [...gone].map((at) => keys[at] as DatasetKey),
          actor,
        ),
      )
      const victim = `${kind}-${seed}-1`
      const isOfVictim = (one: Drawn) => idOf(one, kind) === victim
      const stored = await bench.list(keys)
      const person: Person = { kind, id: victim }
      const mine = drawn.flatMap((one, at) => (isOfVictim(one) && !gone.has(at) ? [at] : []))
      expect((await summarisePerson(bench.db, vault, subscriptionId, person)).datasets).toBe(mine.length)

      const request = await requestErasure(bench.db, { subscriptionId, person, actor })
      expect(request.total).toBe(mine.length)
      await eraseAll(vault, request, subscriptionId)

      // the others: their datasets as they were, their counters exact
      const after = await bench.list(keys)
      for (const at of drawn.keys())
        if (mine.includes(at))
          expect(after[at]).toMatchObject({ status: 'deleted', velocity: null, deviceId: null })
        else expect(after[at]).toEqual(stored[at])
      const counters = new Map(
        (await listCounters(subscriptionId)).map((row) => [`${row.kind} ${row.key}`, row]),
      )
      const expected = (of: PersonKind, id: string) => {
        const counted = drawn.filter((one) => idOf(one, of) === id)
        const cross = of === 'client' ? 'device' : 'client'
        const others = new Set(counted.flatMap((one) => idOf(one, cross) ?? []))
        if (of !== kind) others.delete(victim)
        const isLive = drawn.some((one, at) => idOf(one, of) === id && !gone.has(at) && !mine.includes(at))
        const isTouched = mine.some((at) => idOf(drawn[at] as Drawn, of) === id)
        const isRemoved = (of === kind && id === victim) || (isTouched && others.size === 0 && !isLive)
        return isRemoved || counted.length === 0
          ? undefined
          : { datasets: counted.length, others: others.size }
      }
      for (const of of ['client', 'device'] as const)
        for (let number = 1; number <= 4; number++) {
          const id = `${of}-${seed}-${number}`
          const found = counters.get(`${of} ${keyOf(id)}`)
          const wanted = expected(of, id)
          if (!wanted) expect(found, id).toBeUndefined()
          else expect(found, id).toMatchObject({ ...wanted, pairs: wanted.others })
        }

      // no table contains an identifier of the person, a hash of it, or a reference number of theirs
      const rows = JSON.stringify(await listRows(bench.db, subscriptionId))
      const traces = [
        ...[victim, keyOf(victim), hash('sha256', victim)],
        ...mine.map((at) => stored[at]?.referenceNumber ?? ''),
      ]
      expect(traces.filter((trace) => rows.includes(trace))).toEqual([])

      // later datasets of others have the next place; the person's own count begins anew
      for (const drawnLater of [
        ...[2, 3, 4].map((number) => ({
          [kind]: `${kind}-${seed}-${number}`,
          [otherKind]: `${otherKind}-${seed}-1`,
        })),
        { [kind]: victim, [otherKind]: `${otherKind}-${seed}-2` },
      ] as unknown as Drawn[]) {
        const places = (['device', 'client'] as const).map((of) => {
          const row = counters.get(`${of} ${keyOf(idOf(drawnLater, of) ?? '')}`)
          const place = (row?.datasets ?? 0) + 1
          return [of, { datasets: place, windows: { '30d': place } }]
        })
        const [key] = await bench.receive(upload(drawnLater, subscriptionId))
        await process([key as DatasetKey])
        for (const row of await listCounters(subscriptionId)) {
          counters.set(`${row.kind} ${row.key}`, row)
          expect(row.others).toBe(row.pairs)
        }
        const { velocity } = await bench.find(key as DatasetKey)
        for (const [of, counts] of places as [PersonKind, object][])
          expect({ of, ...velocity?.[of] }).toMatchObject({ of, ...counts })
      }
    },
  )

  test.each([1, 2, 3])(
    'covers what was received before it, also if it is processed meanwhile, and nothing later (seed %i)',
    async (n) => {
      const seed = `${kind}-during-${n}`
      const random = createRandom(`erasure ${seed}`)
      const { subscriptionId, vault, process, keyOf } = await openSubject(n % 2 === 0)
      const before = draw(random, seed, 30)
      const keys = await bench.receive(...before.map((one) => upload(one, subscriptionId)))
      await process(keys.slice(0, 15))
      const victim = `${kind}-${seed}-1`
      const request = await requestErasure(bench.db, { subscriptionId, person: { kind, id: victim }, actor })
      const after = draw(random, seed, 30)
      const later = await bench.receive(...after.map((one) => upload(one, subscriptionId)))
      const waiting = [...keys.slice(15), ...later].toSorted(() => random.float(-1, 1))
      await Promise.all([
        eraseAll(vault, request, subscriptionId),
        process(waiting.slice(0, 15)),
        process(waiting.slice(15, 30)),
        process(waiting.slice(30)),
      ])

      const statuses = async (of: readonly DatasetKey[]) => (await bench.list(of)).map(({ status }) => status)
      expect(await statuses(keys)).toEqual(
        before.map((one) => (idOf(one, kind) === victim ? 'deleted' : 'ready')),
      )
      expect(await statuses(later)).toEqual(after.map(() => 'ready'))
      const counters = await listCounters(subscriptionId)
      expect(counters.filter(({ others, pairs }) => others !== pairs)).toEqual([])
      for (const of of ['client', 'device'] as const)
        for (let number = 1; number <= 4; number++) {
          const id = `${of}-${seed}-${number}`
          const own = (await bench.list([...keys, ...later])).filter(
            (_, at) => idOf([...before, ...after][at] as Drawn, of) === id,
          )
          const places = own.flatMap(({ velocity }) => velocity?.[of]?.datasets ?? [])
          expect(new Set(places).size, `places of ${id}`).toBe(places.length)
          const row = counters.find((counter) => counter.kind === of && counter.key === keyOf(id))
          if (places.length > 0 && id !== victim)
            expect(row?.datasets).toBeGreaterThanOrEqual(Math.max(...places))
        }
      expect(await findPrivacyRequest(bench.db, subscriptionId, request.id)).toMatchObject({
        state: 'finished',
        datasets: before.filter((one) => idOf(one, kind) === victim).length,
      })
    },
  )
})

test('waits for datasets whose capture is not decoded yet: only then it is known whose they are', async () => {
  const { subscriptionId, vault, process } = await openSubject(false)
  const keys = await bench.receive(upload({ device: 'slow', client: undefined }, subscriptionId))
  const person = { kind: 'device', id: 'slow' } as const
  const request = await requestErasure(bench.db, { subscriptionId, person, actor })
  const key = { subscriptionId, id: request.id }
  expect(await eraseNext(bench.db, vault, key)).toBe('waits')
  expect(await findPrivacyRequest(bench.db, subscriptionId, request.id)).toMatchObject({
    state: 'running',
    waiting: true,
    datasets: 0,
  })
  await process(keys)
  await eraseAll(vault, request, subscriptionId)
  expect(await bench.list(keys)).toMatchObject([{ status: 'deleted' }])
})

test('a step that is broken off leaves nothing half done, and the next worker goes on', async () => {
  const { subscriptionId, vault, process } = await openSubject(false)
  const drawn = Array.from({ length: 120 }, () => ({ device: 'broken', client: 'off' }))
  const keys = await bench.receive(...drawn.map((one) => upload(one, subscriptionId)))
  await process(keys)
  const request = await requestErasure(bench.db, {
    subscriptionId,
    person: { kind: 'client', id: 'off' },
    actor,
  })
  const key = { subscriptionId, id: request.id }
  expect(await eraseNext(bench.db, vault, key)).toBe('more')
  const countDone = async () => {
    const found = await findPrivacyRequest(bench.db, subscriptionId, request.id)
    return {
      datasets: found?.datasets,
      deleted: (await bench.list(keys)).filter(({ status }) => status === 'deleted').length,
    }
  }
  expect(await countDone()).toEqual({ datasets: 50, deleted: 50 })
  // the second step waits for a dataset that is locked, and loses its connection
  await bench.db.transaction(async (trx) => {
    await trx.raw('select from datasets where id = ? for update', [keys[60]?.id ?? 0])
    const broken = expect(eraseNext(bench.db, vault, key)).rejects.toThrow()
    await expect
      .poll(() =>
        bench.db
          .raw(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
          .then(({ rowCount }) => rowCount),
      )
      .toBe(1)
    await broken
  })
  expect(await countDone()).toEqual({ datasets: 50, deleted: 50 })
  await erasePersons({ db: bench.db, vault, log }, new AbortController().signal)
  expect(await countDone()).toEqual({ datasets: 120, deleted: 120 })
  expect(await listCounters(subscriptionId)).toEqual([])
})

test('deletes collections that are no datasets yet, and those that became datasets meanwhile', async () => {
  const { subscriptionId, vault } = await openSubject(false)
  const opened = await collect(bench.db, subscriptionId, { level: 'claimed', deviceId: 'web_erased' })
  const other = await collect(bench.db, subscriptionId, { level: 'claimed', deviceId: 'web_other' })
  const person = { kind: 'device', id: 'web_erased' } as const
  expect(await summarisePerson(bench.db, vault, subscriptionId, person)).toMatchObject({ collections: 1 })
  const request = await requestErasure(bench.db, { subscriptionId, person, actor })
  await eraseAll(vault, request, subscriptionId)
  const left = await queryRows<{ id: number }>(
    bench.db,
    'select id from collections where subscription_id = ?',
    [subscriptionId],
  )
  expect(left).toEqual([{ id: other.id }])
  expect(opened.id).not.toBe(other.id)
  expect(await findPrivacyRequest(bench.db, subscriptionId, request.id)).toMatchObject({ collections: 1 })
})

test('the next datasets of a frequent identifier are found without reading the others', async () => {
  const subscriptionIds = [await bench.openSubscription(), await bench.openSubscription()]
  await queryRows(
    bench.owner,
    `insert into datasets (subscription_id, reference_number, data_hash, status, device_id, additional_info)
     select s, 'F-' || n, '', 'ready', case when n % 50 = 0 then 'frequent' else 'rare-' || n end,
            jsonb_build_object('note', repeat('-', 300), 'clientId', case when n % 50 = 25 then 'frequent' else 'rare-' || n end)
     from generate_series(1, 6000) n cross join unnest(?::integer[]) s order by n`,
    [subscriptionIds],
  )
  await bench.owner.raw('analyze datasets')
  for (const subscriptionId of subscriptionIds)
    for (const kind of PERSON_KINDS) {
      const page = { subscriptionId, person: { kind, id: 'frequent' }, after: 0, limit: 10 }
      const pages = await countTransactionPages(bench.db, async (trx) => {
        expect(await listStoredDatasets(trx, PLAIN_VAULT, page)).toHaveLength(10)
      })
      expect(pages).toBeLessThan(80) // all 120 are on as many
    }
})

test('a person of another subscription with the same identifiers is untouched', async () => {
  const [ann, bob] = [await openSubject(false), await openSubject(false)]
  const drawn = { device: 'shared phone', client: 'shared client' }
  for (const { subscriptionId, process } of [ann, bob])
    await process(await bench.receive(upload(drawn, subscriptionId), upload(drawn, subscriptionId)))
  const before = await listRows(bench.db, bob.subscriptionId)
  const person = { kind: 'client', id: 'shared client' } as const
  const request = await requestErasure(bench.db, { subscriptionId: ann.subscriptionId, person, actor })
  expect(await eraseNext(bench.db, PLAIN_VAULT, { subscriptionId: bob.subscriptionId, id: request.id })).toBe(
    'waits',
  )
  await erasePersons({ db: bench.db, vault: PLAIN_VAULT, log }, new AbortController().signal)
  expect(await listRows(bench.db, bob.subscriptionId)).toEqual(before)
  expect(await listCounters(ann.subscriptionId)).toEqual([])
  expect(
    await bench
      .db('audit_events')
      .where({ subscription_id: ann.subscriptionId })
      .orderBy('id')
      .select('action', 'subject'),
  ).toEqual([
    { action: 'person.erase', subject: request.personHash },
    { action: 'person.erased', subject: request.personHash },
  ])
})
