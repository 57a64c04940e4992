import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { AdditionalInfo } from '../../../api/datasets/members.ts'
import { saveAdditionalInfo } from '../../../db/datasets/additional-info.ts'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import type { ExplainedInsight } from '../../../db/datasets/insights.ts'
import { requeueDatasets } from '../../../db/datasets/requeue-datasets.ts'
import { openVault } from '../../../db/encryption/vault.ts'
import { openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { generateCaptures } from '../../../scripts/captures/generate-captures.ts'
import { createRandom } from '../../../scripts/captures/random.ts'
import { deployDemoScorecards } from '../../../scripts/scorecards/deploy-scorecard.ts'
import { openBatchContext } from '../../../worker/batches/batch-context.ts'
import { processBatch } from '../../../worker/batches/process-batch.ts'
import { anActor } from '../../support/actors.ts'
import { AWKWARD_TEXTS } from '../../support/arbitrary-captures.ts'
import { aCapture } from '../../support/captures.ts'
import { type DatasetMembers, gzipJson, openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
  await deployDemoScorecards(bench.db, bench.subscriptionId)
})
afterAll(() => bench.close())

async function receiveOne(members: DatasetMembers): Promise<DatasetKey> {
  const [key] = await bench.receive(members)
  if (!key) throw new Error('nothing was received')
  return key
}

async function insightOf(key: DatasetKey): Promise<ExplainedInsight> {
  const insight = await bench.findInsight(key)
  if (!insight) throw new Error('there is no insight')
  return insight
}

async function fragmentOf(key: DatasetKey, code: string): Promise<unknown> {
  const fragments = (await insightOf(key)).fragments as { code: string; value: unknown }[]
  return fragments.find((fragment) => fragment.code === code)?.value
}

test('a batch needs one connection at a time, also while keys are not cached', async () => {
  const db = openDatabase({ url: bench.url, poolMax: 1 })
  const log = pino({ level: 'silent' })
  const key = await receiveOne({})
  await processBatch(openBatchContext({ db, log, vault: openVault(db, []) }), [key])
  await db.destroy()
  expect(await bench.find(key)).toMatchObject({ status: 'ready' })
})

test('of a dataset, the capture alone is stored out of line', async () => {
  const [generated] = generateCaptures({ seed: 'toast', size: 'typical', count: 1 })
  const clientId = 'a client with an id of 40 characters ...'
  const key = await receiveOne({ capture: generated?.capture ?? {}, additionalInfo: { clientId } })
  await bench.process([key])
  expect(await bench.find(key)).toMatchObject({ status: 'ready', velocity: { client: { id: clientId } } })
  const [toast] = await queryRows<{ name: string }>(
    bench.owner,
    "select reltoastrelid::regclass::text as name from pg_class where oid = 'datasets'::regclass",
  )
  expect(await queryRows(bench.owner, `select distinct chunk_id from ${toast?.name}`)).toHaveLength(1)
})

describe('data that is no capture', () => {
  const notCaptures: [string, Buffer][] = [
    ['not_gzip', Buffer.from('plain')],
    ['not_gzip', Buffer.alloc(0)],
    ['gzip_truncated', gzipJson(aCapture()).subarray(0, 60)],
    ['gzip_corrupt', Buffer.concat([gzipJson(aCapture()), Buffer.from('garbage')])],
    ['not_utf8', gzipSync(Buffer.from([0x22, 0xff, 0x22]))],
    ['not_json', gzipSync('{')],
    ['too_deep', gzipSync('['.repeat(1_000))],
    ['repeated_member', gzipSync('{"a":1,"a":2}')],
    ['forbidden_member', gzipSync('{"__proto__":1}')],
    ['unsupported_format', gzipJson(aCapture({ format: 'capture/9' }))],
    ['not_a_capture', gzipJson(aCapture({ device: 7 }))],
    ['not_a_capture', gzipJson(aCapture({ accounts: { count: 1, byType: { 'a\0\ud800': -1 } } }))],
    ['inflated_too_large', gzipSync(Buffer.alloc(33 * 1024 * 1024), { level: 1 })],
  ]

  test('ends invalid with its code and a reason, and its neighbours are ready', async () => {
    const keys = await bench.receive(
      ...notCaptures.flatMap(([, blob]) => [
        { blob },
        { capture: aCapture({ device: { id: 'neighbour' } }) },
      ]),
    )
    await bench.process(keys)
    const ends = await bench.list(keys)
    const invalid = ends.filter((_, n) => n % 2 === 0)
    const ready = ends.filter((_, n) => n % 2 === 1)
    expect(invalid.map(({ invalidCode }) => invalidCode)).toEqual(notCaptures.map(([code]) => code))
    for (const end of invalid) {
      expect(end).toMatchObject({ status: 'invalid', waiting: false, velocity: null, deviceId: null })
      expect(end.invalidDetail).toMatch(/\w+ \w+/)
      expect(end.invalidDetail).not.toContain('\0')
      expect(await bench.findInsight(end)).toBeUndefined()
    }
    expect(ready.map(({ status, waiting }) => [status, waiting])).toEqual(ready.map(() => ['ready', false]))
    expect(ready.map(({ velocity }) => velocity?.device?.datasets)).toEqual(ready.map((_, n) => n + 1))
  })

  test('is processed again after a fix, and counted then', async () => {
    const deviceId = 'fixed'
    const earlier = await receiveOne({ capture: aCapture({ device: { id: deviceId } }) })
    const key = await receiveOne({ blob: Buffer.from('broken'), additionalInfo: { clientId: 'fixed' } })
    await bench.process([key, earlier])
    expect((await bench.find(key)).status).toBe('invalid')

    await bench.process([key])
    expect((await bench.find(key)).status).toBe('invalid')
    await bench.db.raw('update datasets set blob = ? where id = ?', [
      gzipJson(aCapture({ device: { id: deviceId } })),
      key.id,
    ])
    const requeued = await requeueDatasets(bench.db, [key], anActor('me'))
    expect(requeued).toEqual([key])
    await bench.process(requeued)
    expect(await bench.find(key)).toMatchObject({
      status: 'ready',
      waiting: false,
      invalidCode: null,
      invalidDetail: null,
      deviceId,
      velocity: { device: { datasets: 2 }, client: { datasets: 1 } },
    })
    expect(await fragmentOf(key, 'device_info')).toMatchObject({ deviceID: deviceId })
  })
})

describe('what is deployed', () => {
  test('nothing: the insight is there and empty', async () => {
    const subscriptionId = await bench.openSubscription()
    await bench.db.raw('delete from fragments where subscription_id = ?', [subscriptionId])
    const key = await receiveOne({ subscriptionId })
    await bench.process([key])
    const { scores, fragments, features, explanations } = await insightOf(key)
    expect([scores, fragments, explanations]).toEqual([[], [], []])
    expect(features).toMatchObject({ device_brand: 'samsung' })
  })

  test('is of the own subscription and the platform, also in a mixed batch', async () => {
    const bare = await bench.openSubscription()
    const keys = await bench.receive(
      { capture: aCapture() },
      { capture: aCapture({ platform: 'web' }) },
      { capture: aCapture({ platform: 'ios' }), subscriptionId: bare },
    )
    await bench.process(keys)
    const insights = await Promise.all(keys.map(insightOf))
    const codes = (part: unknown) => (part as { code: string }[]).map(({ code }) => code)
    expect(insights.map(({ scores }) => codes(scores))).toEqual([['demo_mobile'], ['demo_web'], []])
    expect(insights.map(({ fragments }) => codes(fragments))).toEqual([
      ['permission', 'device_info', 'velocity'],
      [],
      ['permission', 'device_info', 'velocity'],
    ])
  })
})

test('real captures of every platform are ready and scored', async () => {
  const uploads = [...generateCaptures({ seed: 'group', count: 40, size: 'small' })]
  const keys = await bench.receive(...uploads)
  await bench.process(keys)
  for (const key of keys) {
    expect((await bench.find(key)).status).toBe('ready')
    const { scores, explanations } = await insightOf(key)
    expect(scores).toEqual([
      { code: expect.any(String), value: expect.any(Number), probability: expect.any(Number) },
    ])
    expect(explanations).toMatchObject([{ version: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  }
})

test('a dataset that is not there, or has lost its blob, is passed over', async () => {
  const [deleted, key] = await bench.receive({}, {})
  if (!deleted || !key) throw new Error('nothing was received')
  await bench.db.raw("update datasets set status = 'deleted', blob = null, ring_at = null where id = ?", [
    deleted.id,
  ])
  await bench.process([{ subscriptionId: bench.subscriptionId, id: 999_999_999 }, deleted, key])
  expect((await bench.list([deleted, key])).map(({ status }) => status)).toEqual(['deleted', 'ready'])
  await bench.process([])
})

test('a dataset that is deleted while its batch is in flight stays deleted, and its neighbour is ready', async () => {
  const [deleted, neighbour] = await bench.receive({}, {})
  if (!deleted || !neighbour) throw new Error('nothing was received')
  const deletion = await bench.db.transaction()
  await deletion.raw("update datasets set status = 'deleted', blob = null, ring_at = null where id = ?", [
    deleted.id,
  ])
  const working = bench.process([deleted, neighbour])
  await vi.waitFor(
    async () => {
      const claiming = await queryRows(
        bench.db,
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      expect(claiming).toHaveLength(1)
    },
    { timeout: 5_000, interval: 10 },
  )
  await deletion.commit()
  await working
  expect((await bench.list([deleted, neighbour])).map(({ status }) => status)).toEqual(['deleted', 'ready'])
  expect(await bench.findInsight(deleted)).toBeUndefined()
})

test('a key of another subscription finds nothing', async () => {
  const other = await bench.openSubscription()
  const key = await receiveOne({})
  await bench.process([{ ...key, subscriptionId: other }])
  expect((await bench.find(key)).status).toBe('received')
})

test('info saved while its batch is in flight is in the insight afterwards, in either order', async () => {
  const random = createRandom('info')
  const moments = new Set<boolean>()
  for (let round = 0; round < 40; round++) {
    const keys = await bench.receive(
      ...Array(4).fill({ capture: aCapture({ device: { id: `info ${round}` } }) }),
    )
    const named = await bench.list(keys)
    const save = async (
      { referenceNumber, ...key }: (typeof named)[number],
      info: Record<string, string>,
    ) => {
      await delay(random.int(0, 12))
      const saved = await saveAdditionalInfo(
        bench.db,
        key.subscriptionId,
        referenceNumber,
        info,
        anActor('backend'),
      )
      if (saved.outcome !== 'saved') throw new Error(saved.outcome)
      moments.add(saved.toEnqueue !== undefined)
      if (saved.toEnqueue) await bench.process([saved.toEnqueue])
    }
    await Promise.all([
      bench.process(keys),
      ...named.map((dataset) => save(dataset, { clientId: `c${round}` })),
      ...named.map((dataset) => save(dataset, { purpose: 'car', term: '12' })),
    ])
    for (const key of keys) {
      expect((await insightOf(key)).features).toMatchObject({ info_keys_count: 3, info_client_known: true })
      expect(await bench.find(key)).toMatchObject({
        status: 'ready',
        waiting: false,
        velocity: { client: {} },
      })
    }
  }
  expect(moments).toEqual(new Set([true, false])) // some came before the batch was settled, some after
})

describe('awkward text', () => {
  /** Each makes a capture that has the text in one of its free texts. */
  const inEveryText: Record<string, (text: string) => object> = {
    ...Object.fromEntries(
      ['id', 'brand', 'model', 'osVersion', 'locale', 'timeZone'].map((name) => [
        `device.${name}`,
        (text: string) => ({ device: { [name]: text } }),
      ]),
    ),
    'device.network.kind': (text) => ({ device: { network: { kind: text } } }),
    'sdk.version': (text) => ({ sdk: { version: text, modules: ['core', text] } }),
    permissions: (text) => ({ permissions: [{ name: text || 'x', granted: true }] }),
    apps: (text) => ({ apps: [{ package: text || 'x', category: text }] }),
    'accounts.byType': (text) => ({ accounts: { count: 1, byType: { [text]: 1 } } }),
    events: (text) => ({
      behaviour: {
        startedAt: '2026-11-20T08:15:30.123Z',
        durationMs: 10,
        events: ['focus', 'key', text || 'x'].map((type, t) => ({
          t,
          type,
          target: text,
          kind: text,
          phase: text,
        })),
      },
    }),
    web: (text) => ({
      platform: 'web',
      web: {
        browser: { name: text, version: text, userAgent: text, languages: [text] },
        page: { origin: text, path: text, fields: [{ name: text, kind: text }] },
      },
    }),
  }

  test.each(Object.entries(inEveryText))('in %s never fails a batch', async (_, membersWith) => {
    const captures = AWKWARD_TEXTS.map((text) => aCapture({ ...membersWith(text) }))
    const keys = await bench.receive(...captures.map((capture) => ({ capture })))
    await bench.process(keys)
    const stored = await bench.list(keys)
    expect(stored.map(({ status, waiting, invalidDetail }) => [status, waiting, invalidDetail])).toEqual(
      stored.map(() => ['ready', false, null]),
    )
    for (const key of keys) expect((await insightOf(key)).scores).toHaveLength(1)
  })

  test('is in fragments as it was sent, and in the column of device ids made safe', async () => {
    const texts = AWKWARD_TEXTS.filter((text) => text !== '')
    const keys = await bench.receive(
      ...texts.map((text) => ({ capture: aCapture({ device: { id: text, brand: text, model: text } }) })),
    )
    await bench.process(keys)
    for (const [n, key] of keys.entries()) {
      const text = texts[n]
      expect(await fragmentOf(key, 'device_info')).toMatchObject({ deviceID: text, brand: text, model: text })
      expect((await bench.find(key)).deviceId).toBe(text?.toWellFormed().replaceAll('\0', '\ufffd'))
    }
  })

  test('in Additional Info is counted and stored, except what the API rejects', async () => {
    const accepted = AWKWARD_TEXTS.filter((text) => AdditionalInfo.safeParse({ key: text }).success)
    expect(accepted.filter((text) => text.includes('\0') || !text.isWellFormed())).toEqual([])
    expect(accepted.length).toBeGreaterThan(10)
    const infos = accepted.map((text) => ({ clientId: text, key: text, [text || 'key']: text }))
    const keys = await bench.receive(...infos.map((additionalInfo) => ({ additionalInfo })))
    await bench.process(keys)
    for (const [n, dataset] of (await bench.list(keys)).entries()) {
      expect(dataset.status).toBe('ready')
      expect(dataset.velocity?.client?.id).toBe(accepted[n] || undefined)
      const [{ additional_info }] = await bench
        .db('datasets')
        .where({ id: dataset.id })
        .select('additional_info')
      expect(additional_info).toEqual(infos[n])
    }
  })
})
