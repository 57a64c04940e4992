import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AdditionalInfo, DatasetStatus } from '../../db/datasets/datasets.ts'
import { queryRows, sixDigits } from '../../db/postgres/database.ts'
import { deployFragment } from '../../db/scorecards/fragments.ts'
import { type Answer, assignInfo, logIn, readByCode, readInsight, upload } from '../support/client.ts'
import {
  type AnsweredCall,
  arbitraryClients,
  dataOf,
  isExplained,
  type ModelCall,
  type Outcome,
  outcomeOf,
  referenceOf,
  SAMPLES,
  type Sample,
} from '../support/model.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service

beforeAll(async () => {
  service = await startService()
  service.startWorker({ pauseMs: 20 }) // a slow one beside it, so that calls meet datasets that still wait
})
afterAll(() => service.stop())

test('concurrent requests of any kind are linearisable, and every dataset is counted once', async () => {
  const outcomes = new Set<Outcome>()
  await fc.assert(
    fc.asyncProperty(arbitraryClients, async (clients) => {
      const { tenant, make } = await openClient()
      const calls = (await Promise.all(clients.map((plan) => inTurn(plan, make)))).flat()
      await allIsProcessed(tenant)
      const last = await inTurn(SAMPLES.map(referenceOf).flatMap(readBothWays), make)
      calls.push(...last)

      const stored = await listStored(tenant)
      expectSomeOrder(calls, stored)
      expectSettled(stored)
      const insights = stored
        .filter(({ status }) => status === 'ready')
        .map((dataset) => insightOf(dataset, last))
      expectPlacesOnDevices(insights)
      expectPlacesOfClients(insights)
      expectSameInAllReads(insights, calls)
      await expectRecorded(tenant, calls)
      for (const { answer } of calls) outcomes.add(outcomeOf(answer))
    }),
    { numRuns: 25, interruptAfterTimeLimit: 40_000 },
  )
  expect([...outcomes].toSorted()).toEqual([
    'additional_info_conflict',
    'dataset_invalid',
    'dataset_not_found',
    'ok',
    'reference_number_taken',
    'validation_failed',
  ])
}, 60_000)

type MakeCall = (call: ModelCall) => Promise<AnsweredCall>

let clock = 0

/** A subscription of its own for one run, and the way to call the service with its credentials. */
async function openClient(): Promise<{ tenant: Tenant; make: MakeCall }> {
  const tenant = await service.openTenant()
  await deployFragment(service.db, tenant.subscriptionId, 'windows', 'velocity_windows')
  const token = await logIn(service.url, tenant)
  const { url } = service
  const { uploaderKey, requesterKey } = tenant

  function send(call: ModelCall): Promise<Answer> {
    const { referenceNumber } = call
    switch (call.does) {
      case 'upload': {
        const { sample, info } = call
        return upload(url, uploaderKey, { referenceNumber, data: dataOf(sample), additionalInfo: info })
      }
      case 'assign':
        return assignInfo(url, uploaderKey, { referenceNumber, additionalInfo: call.info })
      case 'read':
        return call.by === 'token'
          ? readInsight(url, token, referenceNumber)
          : readByCode(url, requesterKey, referenceNumber)
    }
  }
  const make: MakeCall = async (call) => {
    const beganAt = ++clock
    const answer = await send(call)
    return { call, answer, beganAt, endedAt: ++clock }
  }
  return { tenant, make }
}

async function inTurn(plan: readonly ModelCall[], make: MakeCall): Promise<AnsweredCall[]> {
  const answered: AnsweredCall[] = []
  for (const call of plan) answered.push(await make(call))
  return answered
}

const readBothWays = (referenceNumber: string): ModelCall[] => [
  { does: 'read', referenceNumber, by: 'token' },
  { does: 'read', referenceNumber, by: 'key' },
]

async function allIsProcessed({ subscriptionId }: Tenant): Promise<void> {
  const waiting = service.db('datasets').where({ subscription_id: subscriptionId }).whereNotNull('ring_at')
  await vi.waitFor(async () => expect(await waiting.clone().pluck('reference_number')).toEqual([]), {
    timeout: 10_000,
    interval: 10,
  })
}

interface StoredDataset {
  readonly referenceNumber: string
  readonly status: DatasetStatus
  readonly blob: Buffer
  readonly uploadDate: string
  readonly info: AdditionalInfo
  readonly insights: number
}

const listStored = ({ subscriptionId }: Tenant): Promise<StoredDataset[]> =>
  queryRows(
    service.db,
    `select reference_number as "referenceNumber", status, blob, ${sixDigits('uploaded_at')} as "uploadDate",
            additional_info as info,
            (select count(*)::integer from insights i
             where i.subscription_id = d.subscription_id and i.dataset_id = d.id) as insights
     from datasets d where subscription_id = ?`,
    [subscriptionId],
  )

function sampleOf({ blob }: StoredDataset): Sample {
  const sample = SAMPLES.find((one) => dataOf(one) === blob.toString('base64'))
  if (!sample) throw new Error('What is stored was never sent')
  return sample
}

/** Of each reference number, some order of its calls explains their answers and what is stored. */
function expectSomeOrder(calls: readonly AnsweredCall[], stored: readonly StoredDataset[]): void {
  for (const reference of SAMPLES.map(referenceOf)) {
    const about = calls.filter(({ call }) => call.referenceNumber === reference)
    const dataset = stored.find(({ referenceNumber }) => referenceNumber === reference)
    const end = dataset && {
      sample: sampleOf(dataset),
      uploadDate: dataset.uploadDate,
      info: dataset.info,
    }
    expect(isExplained(about, end), `explained: ${describeCalls(about, end)}`).toBe(true)
  }
}

/** What was asked and answered, as far as the model looks at it, by the time of the question. */
const describeCalls = (calls: readonly AnsweredCall[], end: unknown) =>
  [
    ...calls
      .toSorted((a, b) => a.beganAt - b.beganAt)
      .map(({ call, answer, beganAt, endedAt }) => {
        const { title, detail, errors, uploadDate, additionalInfo } = answer.body
        const told = JSON.stringify({ title, detail, errors, uploadDate, additionalInfo })
        return `${beganAt} to ${endedAt}: ${JSON.stringify(call)} → ${answer.status} ${told}`
      }),
    `Stored: ${JSON.stringify(end)}`,
  ].join('\n')

/** Each dataset is ready with one insight or, where its data is unreadable, invalid with none. */
function expectSettled(stored: readonly StoredDataset[]): void {
  for (const dataset of stored)
    expect([dataset.status, dataset.insights]).toEqual(
      sampleOf(dataset).kind === 'capture' ? ['ready', 1] : ['invalid', 0],
    )
}

/** The fragments that tell datasets apart. */
interface Fragments {
  readonly deviceInfo: { readonly deviceID: string | null; readonly model: string }
  readonly velocity: { readonly isRepeatableUpload: string; readonly associatedDatasetsCount: string }
  readonly windows: Windows
}

/** What a ready dataset says in the end. */
interface Insight extends Fragments {
  readonly referenceNumber: string
  readonly sample: Sample
  readonly deviceId: string | undefined
  readonly clientId: string | undefined
}

interface Windows {
  readonly device: Record<string, string | null> | null
  readonly client: Record<string, string | null> | null
}

function fragmentsIn({ body }: Answer): Fragments {
  const parts: { code: string; value: unknown }[] = body.fragments ?? body.insights
  const byCode = Object.fromEntries(parts.map(({ code, value }) => [code, value]))
  const { device_info: deviceInfo, velocity, windows } = byCode
  return { deviceInfo, velocity, windows } as Fragments
}

const readsOf = (referenceNumber: string, calls: readonly AnsweredCall[]): Answer[] =>
  calls
    .filter(({ call }) => call.does === 'read' && call.referenceNumber === referenceNumber)
    .map(({ answer }) => answer)
    .filter((answer) => outcomeOf(answer) === 'ok')

function insightOf(dataset: StoredDataset, last: readonly AnsweredCall[]): Insight {
  const { referenceNumber, info } = dataset
  const [read] = readsOf(referenceNumber, last)
  if (!read) throw new Error('A ready dataset was not read')
  const sample = sampleOf(dataset)
  const { deviceId } = sample
  return { referenceNumber, sample, deviceId, clientId: info.clientId, ...fragmentsIn(read) }
}

const distinct = <T>(values: readonly T[]): Exclude<T, undefined>[] => [
  ...new Set(values.filter((value) => value !== undefined) as Exclude<T, undefined>[]),
]
const oneTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1)
const ascending = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)

/** All runs take less than the shortest window, so that each window holds all that was counted so far. */
const windowsOf = (datasets: string) =>
  Object.fromEntries(['10m', '1h', '24h', '7d', '30d'].map((length) => [`last${length}`, datasets]))

/** N datasets of a device have the places 1 to N on it; without a device id each is its own first. */
function expectPlacesOnDevices(insights: readonly Insight[]): void {
  for (const { deviceId, clientId, velocity, windows } of insights) {
    const place = velocity.associatedDatasetsCount
    expect(velocity.isRepeatableUpload).toBe(Number(place) > 1 ? '1' : '0')
    if (deviceId === undefined) expect([place, windows.device]).toEqual(['1', null])
    else
      expect(windows.device).toEqual({
        datasets: place,
        clients: clientId === undefined ? null : expect.any(String),
        ...windowsOf(place),
      })
  }
  for (const device of distinct(insights.map(({ deviceId }) => deviceId))) {
    const on = insights.filter(({ deviceId }) => deviceId === device)
    const places = on.map(({ velocity }) => Number(velocity.associatedDatasetsCount))
    expect(ascending(places), `places on ${device}`).toEqual(oneTo(on.length))

    // in which order the clients came is not told, but each raised the count by one
    const counts = distinct(on.map(({ windows }) => windows.device?.clients ?? undefined)).map(Number)
    const clients = distinct(on.map(({ clientId }) => clientId))
    expect(ascending(counts), `clients on ${device}`).toEqual(oneTo(clients.length))
  }
}

/** N datasets of a client have the places 1 to N, and each counts the devices up to its own place. */
function expectPlacesOfClients(insights: readonly Insight[]): void {
  for (const { clientId, windows } of insights) if (clientId === undefined) expect(windows.client).toBeNull()

  for (const client of distinct(insights.map(({ clientId }) => clientId))) {
    const inOrder = insights
      .filter(({ clientId }) => clientId === client)
      .toSorted((a, b) => Number(a.windows.client?.datasets) - Number(b.windows.client?.datasets))
    expect(
      inOrder.map(({ windows }) => windows.client),
      `counts of ${client}`,
    ).toEqual(
      oneTo(inOrder.length).map((place) => ({
        datasets: String(place),
        devices: String(distinct(inOrder.slice(0, place).map(({ deviceId }) => deviceId)).length),
        ...windowsOf(String(place)),
      })),
    )
  }
}

/** By whichever way and however early an insight was read, it said what it says now, but for info that came later. */
function expectSameInAllReads(insights: readonly Insight[], calls: readonly AnsweredCall[]): void {
  for (const { referenceNumber, sample, velocity, windows } of insights)
    for (const early of readsOf(referenceNumber, calls).map(fragmentsIn)) {
      expect(early.deviceInfo).toMatchObject({ deviceID: sample.deviceId ?? null, model: sample.name })
      expect(early.velocity).toEqual(velocity)
      const unclaimed = { device: windows.device && { ...windows.device, clients: null }, client: null }
      expect(early.windows).toEqual(early.windows.client ? windows : unclaimed)
    }
}

/** There is one record of each read, whatever its answer, with the time that the answer gives. */
async function expectRecorded(
  { subscriptionId, userEmail }: Tenant,
  calls: readonly AnsweredCall[],
): Promise<void> {
  const records = await queryRows<{ referenceNumber: string; by: 'token' | 'key'; at: string }>(
    service.db,
    `select reference_number as "referenceNumber", case requestor when ? then 'token' else 'key' end as by,
            ${sixDigits('requested_at')} as at
     from insight_requests where subscription_id = ?`,
    [userEmail, subscriptionId],
  )
  const reads = calls.flatMap(({ call, answer }) => (call.does === 'read' ? [{ ...call, answer }] : []))
  const names = ({ referenceNumber, by }: { referenceNumber: string; by: string }) =>
    `${referenceNumber} ${by}`
  expect(records.map(names).toSorted()).toEqual(reads.map(names).toSorted())
  const answered = reads.filter(({ answer }) => outcomeOf(answer) === 'ok')
  expect(records.map((record) => `${names(record)} ${record.at}`)).toEqual(
    expect.arrayContaining(answered.map((read) => `${names(read)} ${read.answer.body.requestedDate}`)),
  )
}
