import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { recordAudit } from '../../../db/audit/audit-events.ts'
import { saveAdditionalInfo } from '../../../db/datasets/additional-info.ts'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import { pruneSightings } from '../../../db/datasets/prune-sightings.ts'
import { changeRetention } from '../../../db/datasets/retention.ts'
import { makeObjectId, writeReference } from '../../../db/encryption/capture-reference.ts'
import { createDataKeys, REKEYED } from '../../../db/encryption/data-keys.ts'
import { sealedVersion } from '../../../db/encryption/seal.ts'
import { openVault, PLAIN_VAULT } from '../../../db/encryption/vault.ts'
import { makeWrappingJwk, type WrappingKey, wrappingKeysOf } from '../../../db/encryption/wrapping-keys.ts'
import { findStoredBytes, measureStoredBytes } from '../../../db/limits/stored-bytes.ts'
import { openPipelineCounter } from '../../../db/monitoring/pipeline-counter.ts'
import { addScoreCounts } from '../../../db/monitoring/score-counts.ts'
import { writeKey } from '../../../db/object-store/object-keys.ts'
import { type ObjectStore, openObjectStore } from '../../../db/object-store/object-store.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { requestErasure } from '../../../db/privacy/privacy-requests.ts'
import { openProducer } from '../../../db/queue/producer.ts'
import { createTrial, findTrial } from '../../../db/scorecards/scorecard-trials.ts'
import { deployDemoScorecards } from '../../../scripts/scorecards/deploy-scorecard.ts'
import { startBatchWorker } from '../../../worker/batches/batch-worker.ts'
import { openShortestFirst } from '../../../worker/batches/shortest-first.ts'
import { closeCollections } from '../../../worker/maintenance/close-collections.ts'
import { convertStored } from '../../../worker/maintenance/convert-stored.ts'
import { enforceRetention } from '../../../worker/maintenance/enforce-retention.ts'
import { erasePersons } from '../../../worker/maintenance/erase-persons.ts'
import { logSecurityEvents } from '../../../worker/maintenance/log-security-events.ts'
import { measureStored } from '../../../worker/maintenance/measure-stored.ts'
import { relayOverdue } from '../../../worker/maintenance/relay.ts'
import { removeCaptures, sweepCaptures } from '../../../worker/maintenance/remove-captures.ts'
import { measureStability } from '../../../worker/monitoring/score-stability.ts'
import { runNextTrial } from '../../../worker/trials/run-next-trial.ts'
import { anActor } from '../../support/actors.ts'
import { aCapture } from '../../support/captures.ts'
import { collect } from '../../support/collections.ts'
import { listRows } from '../../support/list-rows.ts'
import { CREDENTIALS, startObjectServer } from '../../support/object-store.ts'
import { PROJECT } from '../../support/start-process.ts'
import { claimRedisUrl } from '../../support/stores.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench
const log = pino({ level: 'silent' })

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const rowsOf = (subscriptionId: number) => listRows(bench.db, subscriptionId)

/** Two subscriptions whose users have the same phone and the same client id. */
async function openBoth(): Promise<{
  ann: number
  bob: number
  capture: object
  info: { clientId: string }
}> {
  const id = crypto.randomUUID()
  return {
    ann: await bench.openSubscription(),
    bob: await bench.openSubscription(),
    capture: aCapture({ device: { id } }),
    info: { clientId: id },
  }
}

const receive = (subscriptionId: number, capture?: object, additionalInfo = {}): Promise<DatasetKey[]> =>
  bench.receive({ subscriptionId, additionalInfo, ...(capture && { capture }) })

/** Does it, and finds all that is of the subscription as it was. */
async function expectUntouched(subscriptionId: number, work: () => Promise<unknown>): Promise<void> {
  const before = await rowsOf(subscriptionId)
  await work()
  expect(await rowsOf(subscriptionId)).toEqual(before)
}

/** Does it with a dataset of each subscription whose capture is an object of this id. */
async function withObjects(
  subscriptionIds: readonly number[],
  id: Buffer,
  work: (store: ObjectStore, names: string[]) => Promise<void>,
): Promise<void> {
  Object.assign(process.env, CREDENTIALS)
  const server = await startObjectServer()
  const { bucket, endpoint } = server
  const store = await openObjectStore({ bucket, endpoint, prefix: '', region: 'us-east-1', isWritten: true })
  try {
    for (const subscriptionId of subscriptionIds) {
      await bench.receive({ subscriptionId, blob: writeReference({ id, keyVersion: 0, length: 7 }) })
      await store.write({ subscriptionId, id }, Buffer.from('capture'))
    }
    await work(
      store,
      subscriptionIds.map((subscriptionId) => writeKey({ subscriptionId, id })),
    )
  } finally {
    store.close()
    await server.close()
  }
}

const makeOverdue = (keys: readonly DatasetKey[]) =>
  bench.db.raw("update datasets set ring_at = now() - interval '1 minute' where id = any(?)", [
    keys.map(({ id }) => id),
  ])

/** Each kind of work that a worker does, by its name in the entry file; `batch` is a job of the queue. */
const KINDS: Record<string, Record<string, () => Promise<void>>> = {
  batch: {
    async 'that names the dataset of another subscription changes nothing in either'() {
      const { ann, bob } = await openBoth()
      const [own] = await receive(ann)
      const [other] = await receive(bob)
      if (!own || !other) throw new Error('Nothing was received')
      const forged = [
        { subscriptionId: ann, id: other.id },
        { subscriptionId: bob, id: own.id },
        { subscriptionId: ann, id: 2 ** 52 },
        { subscriptionId: 2 ** 30, id: own.id },
      ]
      await expectUntouched(ann, () => expectUntouched(bob, () => bench.process(forged)))
      await expectUntouched(bob, () => bench.process([...forged, own]))
      expect(await bench.list([own, other])).toMatchObject([{ status: 'ready' }, { status: 'received' }])
    },
    async 'that comes over the queue with such a name changes nothing in either'() {
      const { ann, bob } = await openBoth()
      const [own] = await receive(ann)
      const [other] = await receive(bob)
      if (!own || !other) throw new Error('Nothing was received')
      const location = { database: { url: bench.url, poolMax: 2 }, redis: { url: await claimRedisUrl() } }
      const delivered: number[] = []
      const worker = startBatchWorker(location, {
        concurrency: 1,
        onError: () => undefined,
        async process(keys) {
          await bench.process(keys)
          delivered.push(keys.length)
        },
      })
      const producer = openProducer(location)
      try {
        await expectUntouched(ann, () =>
          expectUntouched(bob, async () => {
            await producer.enqueue([
              { subscriptionId: ann, id: other.id },
              { subscriptionId: bob, id: own.id },
            ])
            await vi.waitFor(() => expect(delivered).toEqual([2]), { timeout: 10_000 })
          }),
        )
      } finally {
        await producer.close()
        await worker.close()
      }
    },
    async 'counts the devices and clients of each subscription by themselves, also in one batch'() {
      const { ann, bob, capture, info } = await openBoth()
      const keys = [
        ...(await receive(ann, capture, info)),
        ...(await receive(bob, capture, info)),
        ...(await receive(ann, capture, info)),
        ...(await receive(bob, capture, { clientId: 'another' })),
        ...(await receive(ann, capture, info)),
      ]
      await bench.process(keys)
      const counts = (await bench.list(keys)).map(({ velocity }) => [
        velocity?.device?.datasets,
        velocity?.device?.windows['30d'],
        velocity?.device?.clients,
        velocity?.client?.datasets,
        velocity?.client?.devices,
      ])
      expect(counts).toEqual([
        [1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1],
        [2, 2, 1, 2, 1],
        [2, 2, 2, 1, 1],
        [3, 3, 1, 3, 1],
      ])
    },
    async 'scores each dataset by what its own subscription has deployed'() {
      const { ann, bob, capture } = await openBoth()
      await deployDemoScorecards(bench.db, bob)
      const [own, other] = [...(await receive(ann, capture)), ...(await receive(bob, capture))]
      if (!own || !other) throw new Error('Nothing was received')
      await bench.process([own, other])
      expect((await bench.findInsight(own))?.scores).toEqual([])
      expect((await bench.findInsight(other))?.scores).toMatchObject([{ code: 'demo_mobile' }])
    },
    async 'that recalculates after new info leaves the same number of another subscription as it was'() {
      const { ann, bob, capture, info } = await openBoth()
      const keys = [...(await receive(ann, capture)), ...(await receive(bob, capture))]
      await bench.process(keys)
      const [own] = await bench.list(keys)
      const referenceNumber = own?.referenceNumber ?? ''
      await bench.db('datasets').where({ subscription_id: bob }).update({ reference_number: referenceNumber })
      await expectUntouched(bob, async () => {
        const saved = await saveAdditionalInfo(bench.db, ann, referenceNumber, info, anActor('a test'))
        expect(saved).toMatchObject({ outcome: 'saved', toEnqueue: { subscriptionId: ann, id: own?.id } })
        await bench.process(keys)
      })
      expect((await bench.list(keys)).map(({ velocity }) => velocity?.client?.id)).toEqual([
        info.clientId,
        undefined,
      ])
    },
  },
  relay: {
    async 'enqueues overdue datasets of one subscription, and leaves the waiting ones of another'() {
      const { ann, bob } = await openBoth()
      const own = await receive(ann)
      await receive(bob)
      const location = { database: { url: bench.url, poolMax: 2 }, redis: { url: await claimRedisUrl() } }
      const producer = openProducer(location)
      try {
        await producer.hasLostJobs() // true for a new queue; this test is about the enqueue timeout
        await makeOverdue(own)
        const enqueued: DatasetKey[] = []
        const enqueue = async (keys: readonly DatasetKey[]) => {
          enqueued.push(...keys)
          await producer.enqueue(keys)
        }
        await expectUntouched(bob, () =>
          relayOverdue({ db: bench.db, producer: { ...producer, enqueue }, log }),
        )
        expect(enqueued.filter(({ subscriptionId }) => [ann, bob].includes(subscriptionId))).toEqual(own)
      } finally {
        await producer.close()
      }
    },
  },
  housekeeping: {
    async 'forgets old sightings of one subscription, and keeps the young ones of another'() {
      const { ann, bob, capture, info } = await openBoth()
      await bench.process([...(await receive(ann, capture, info)), ...(await receive(bob, capture, info))])
      await bench.db.raw("update sightings set at = at - interval '40 days' where subscription_id = ?", [ann])
      await expectUntouched(bob, () => pruneSightings(bench.db, 10_000))
      expect((await rowsOf(ann)).sightings).toEqual([])
      expect((await rowsOf(bob)).sightings).toHaveLength(2)
    },
  },
  stability: {
    async 'of the scores of one subscription does not move with those of another'() {
      const { ann, bob } = await openBoth()
      const [code, version] = ['card', 'a'.repeat(64)]
      const count = (subscriptionId: number, day: string, bin: string, datasets: number) =>
        addScoreCounts(bench.db, [{ subscriptionId, code, version, day, characteristic: '', bin, datasets }])
      const measure = async () =>
        (await measureStability(bench.db, new Date('2026-11-21T12:00:00Z'))).filter(
          ({ subscriptionId }) => subscriptionId === bob,
        )
      for (const day of ['2026-11-19', '2026-11-20'])
        for (const bin of ['400', '500', '600']) await count(bob, day, bin, 50)
      const before = await measure()
      expect(before).toHaveLength(1)
      await expectUntouched(bob, () => count(ann, '2026-11-20', '900', 10_000))
      expect(await measure()).toEqual(before)
    },
  },
  retention: {
    async 'of one subscription deletes nothing of another, however old'() {
      const { ann, bob, capture, info } = await openBoth()
      const keys = [...(await receive(ann, capture, info)), ...(await receive(bob, capture, info))]
      await bench.process(keys)
      await bench.db.raw("update datasets set uploaded_at = now() - interval '90 days' where id = any(?)", [
        keys.map(({ id }) => id),
      ])
      await changeRetention(bench.db, ann, { days: 30 })
      await changeRetention(bench.db, bob, { days: 3_000 })
      await expectUntouched(bob, () => enforceRetention({ db: bench.db, log }, new AbortController().signal))
      expect((await bench.list(keys)).map(({ status }) => status)).toEqual(['deleted', 'ready'])
    },
  },
  erasures: {
    async 'of a person of one subscription erase nothing of a person with the same identifiers of another'() {
      const { ann, bob, capture, info } = await openBoth()
      const keys = [...(await receive(ann, capture, info)), ...(await receive(bob, capture, info))]
      await bench.process(keys)
      const person = { kind: 'client', id: info.clientId } as const
      await requestErasure(bench.db, { subscriptionId: ann, person, actor: anActor('ann') })
      await expectUntouched(bob, () =>
        erasePersons({ db: bench.db, vault: PLAIN_VAULT, log }, new AbortController().signal),
      )
      expect((await bench.list(keys)).map(({ status }) => status)).toEqual(['deleted', 'ready'])
    },
  },
  encryption: {
    async 'of the stored data of one subscription changes nothing of another'() {
      const { ann, bob, capture, info } = await openBoth()
      const keys = [...(await receive(ann, capture, info)), ...(await receive(bob, capture, info))]
      await bench.process(keys)
      await bench.db.raw("update datasets set uploaded_at = now() - interval '1 hour' where id = any(?)", [
        keys.map(({ id }) => id),
      ])
      const vault = openVault(bench.db, wrappingKeysOf([makeWrappingJwk()]))
      await createDataKeys(bench.db, wrappingKeysOf([makeWrappingJwk()])[0] as WrappingKey, bob)
      await bench.db.raw('update encryption_progress set velocity_through = ?, converted_at = now()', [
        REKEYED,
      ])
      await vault.findKeys(ann)
      await expectUntouched(bob, () =>
        convertStored({ db: bench.db, vault, log }, new AbortController().signal),
      )
      const [dataset] = await bench.db('datasets').where({ subscription_id: ann })
      expect(sealedVersion(dataset.blob)).toBe(1)
    },
  },
  removals: {
    async 'of the objects of one subscription leave an object of the same id of another'() {
      const { ann, bob } = await openBoth()
      await withObjects([ann, bob], makeObjectId(), async (store, names) => {
        await expectUntouched(bob, async () => {
          await bench.owner.raw('delete from datasets where subscription_id = ?', [ann])
          await removeCaptures({ db: bench.db, store, log }, new AbortController().signal)
        })
        expect(await store.list('')).toEqual(names.slice(1))
      })
    },
  },
  sweep: {
    async 'of orphans of one subscription leaves an object of the same id that another refers to'() {
      const { ann, bob } = await openBoth()
      await withObjects([ann, bob], makeObjectId(Date.now() - 3 * 86_400_000), async (store, names) => {
        await bench.db.raw('update datasets set blob = null where subscription_id = ?', [ann])
        await expectUntouched(bob, () =>
          sweepCaptures({ db: bench.db, store, log }, new AbortController().signal),
        )
        expect(await store.list('')).toEqual(names.slice(1))
      })
    },
  },
  collections: {
    async 'that one subscription abandoned are closed, and those of another stay open'() {
      const { ann, bob } = await openBoth()
      const producer = openProducer({
        database: { url: bench.url, poolMax: 1 },
        redis: { url: await claimRedisUrl() },
      })
      for (const subscriptionId of [ann, bob]) await collect(bench.db, subscriptionId, { segments: [] })
      const due = { due_at: new Date(0), opened_at: new Date(Date.now() - 3_600_000) }
      await bench.db('collections').where({ subscription_id: ann }).update(due)
      await expectUntouched(bob, () =>
        closeCollections({ db: bench.db, producer, log }, new AbortController().signal),
      )
      await producer.close()
      expect((await rowsOf(ann)).collections).toEqual([])
    },
  },
  storage: {
    async 'of one subscription is measured without the datasets of another, in steps of any size'() {
      const { ann, bob } = await openBoth()
      await receive(ann)
      await receive(ann)
      await receive(bob)
      while ((await measureStoredBytes(bench.db, bob, 1)) !== 'complete');
      await expectUntouched(bob, async () => {
        await measureStored({ db: bench.db, log }, new AbortController().signal)
      })
      const [stored] = await queryRows<{ bytes: number }>(
        bench.db,
        'select sum(octet_length(blob))::bigint as bytes from datasets where subscription_id = ?',
        [ann],
      )
      expect((await findStoredBytes(bench.db, ann)).bytes).toBe(stored?.bytes)
    },
  },
  trials: {
    async 'of a version of one subscription look at the datasets of no other'() {
      const { ann, bob, capture } = await openBoth()
      await deployDemoScorecards(bench.db, ann)
      await bench.process([...(await receive(ann, capture)), ...(await receive(bob, capture))])
      const [{ version }] = await bench
        .db('scorecard_stages')
        .where({ subscription_id: ann, code: 'demo_mobile' })
      const asked = { subscriptionId: ann, code: 'demo_mobile', version, askedBy: 'a test', captures: 100 }
      const trial = await createTrial(bench.db, asked)
      await expectUntouched(bob, async () => {
        const context = { db: bench.db, log, scheduler: openShortestFirst() }
        while (await runNextTrial(context, new AbortController().signal));
      })
      const done = await findTrial(bench.db, ann, 'demo_mobile', trial?.id ?? 0)
      expect(done?.state).toBe('done')
      expect(JSON.parse(String(done?.result))).toMatchObject({ dryRun: { captures: 1 } })
    },
  },
  securityLog: {
    async 'writes the events of one subscription, and changes nothing of another whose events it wrote'() {
      const { ann, bob } = await openBoth()
      const seen: (number | null)[] = []
      const run = () =>
        logSecurityEvents(
          { db: bench.db, write: ({ subscriptionId }) => void seen.push(subscriptionId) },
          new AbortController().signal,
        )
      const event = { actor: anActor('ann'), action: 'key.create' } as const
      await recordAudit(bench.db, { subscriptionId: bob, ...event })
      await run()
      await recordAudit(bench.db, { subscriptionId: ann, ...event })
      await expectUntouched(bob, run)
      expect(seen.filter((id) => id === bob)).toHaveLength(1)
      expect(seen.at(-1)).toBe(ann)
    },
  },
  counting: {
    async 'of what was settled for one subscription changes no minute of another'() {
      const { ann, bob } = await openBoth()
      const counts = openPipelineCounter(bench.db)
      const settled = { uploadedAt: Date.parse('2026-11-21T12:00:30Z'), latencyMs: 20, invalid: null }
      for (const subscriptionId of [ann, bob]) counts.countSettled({ subscriptionId, ...settled })
      await counts.flush()
      expect((await rowsOf(bob)).pipeline_counts).toEqual([expect.stringContaining('"ready": 1')])
      await expectUntouched(bob, async () => {
        counts.countSettled({ subscriptionId: ann, ...settled })
        await counts.flush()
      })
      expect((await rowsOf(ann)).pipeline_counts).toEqual([expect.stringContaining('"ready": 2')])
    },
  },
}

test('each kind of work that a worker does is tried', () => {
  const entry = readFileSync(join(PROJECT, 'worker/main.ts'), 'utf8')
  const repeated = [...entry.matchAll(/const (\w+) = repeat\(/g)].map((match) => match[1])
  expect(Object.keys(KINDS).toSorted()).toEqual(['batch', ...repeated].toSorted())
})

describe.each(Object.entries(KINDS))('%s', (_kind, tries) => {
  test.each(Object.entries(tries))('%s', (_name, attempt) => attempt())
})
