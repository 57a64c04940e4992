import { hash, randomBytes } from 'node:crypto'
import pLimit from 'p-limit'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openIntake } from '../../api/datasets/intake.ts'
import { createSubscription } from '../../db/accounts/subscriptions.ts'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import { findDatasetRecord } from '../../db/datasets/dataset-records.ts'
import type { Upload } from '../../db/datasets/receive-datasets.ts'
import { rekeyVelocity } from '../../db/datasets/velocity-keys.ts'
import { DataKeyError } from '../../db/encryption/data-key-error.ts'
import { addDataKey, rewrapKeys } from '../../db/encryption/data-keys.ts'
import { sealedPrefix, sealedVersion } from '../../db/encryption/seal.ts'
import { openVault, PLAIN_VAULT, type Vault } from '../../db/encryption/vault.ts'
import { makeWrappingJwk, wrappingKeysOf } from '../../db/encryption/wrapping-keys.ts'
import { openStoreCheck } from '../../db/queue/check-stores.ts'
import { createRandom } from '../../scripts/captures/random.ts'
import { openBatchContext } from '../../worker/batches/batch-context.ts'
import { processBatch } from '../../worker/batches/process-batch.ts'
import { convertStored } from '../../worker/maintenance/convert-stored.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { assignInfo, call, logIn, readInsight, upload } from '../support/client.ts'
import { listRows } from '../support/list-rows.ts'
import { aSegment, encodeSegment, makeSiteKey, openOne, sendFromPage } from '../support/pages.ts'
import { runAdminHere } from '../support/run-admin.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'
import { aStoredUpload, gzipJson } from '../support/workbench.ts'

const log = pino({ level: 'silent' })
const jwk = makeWrappingJwk()
const wrappingKeys = wrappingKeysOf([jwk])
const keySet = (...keys: object[]) => JSON.stringify({ keys })

let service: Service
let tenant: Tenant
let vault: Vault

beforeAll(async () => {
  service = await startService({ wrappingKeys, trustedProxies: ['127.0.0.1'] })
  tenant = await service.openTenant()
  vault = openVault(service.db, wrappingKeys)
})
afterAll(() => service.stop())

const openSubscription = async () => (await createSubscription(service.db, `Bank ${crypto.randomUUID()}`)).id
const contextOf = (vault: Vault) => openBatchContext({ db: service.db, log, vault })
const convert = (by = vault) =>
  convertStored({ db: service.db, vault: by, log }, new AbortController().signal)

/** Receives uploads without a job, sealed by this vault. */
async function receive(by: Vault, ...uploads: readonly Upload[]): Promise<DatasetKey[]> {
  const producer = { tryEnqueue: async () => true } as never
  const intake = openIntake({ db: service.db, producer, counts: { countUpload: () => undefined }, vault: by })
  const receipts = await Promise.all(uploads.map((one) => intake.add(one)))
  return receipts.map((receipt) => {
    if (receipt.outcome !== 'received') throw new Error(receipt.outcome)
    return { subscriptionId: receipt.key.subscriptionId, id: receipt.key.id }
  })
}

const rowOf = ({ id }: DatasetKey) => service.db('datasets').where({ id }).first()

/** Makes keys and datasets of a subscription older than any process that does not know its keys. */
async function age(subscriptionId: number): Promise<void> {
  for (const [table, column] of [
    ['datasets', 'uploaded_at'],
    ['data_keys', 'created_at'],
  ] as const)
    await service.db.raw(
      `update ${table} set ${column} = ${column} - interval '1 hour' where subscription_id = ?`,
      [subscriptionId],
    )
}

test('no table has what encryption protects in the clear; whoever may read it gets it as it was sent', async () => {
  const canary = randomBytes(12).toString('hex')
  const address = '2001:db8:85a3::8a2e:370:7334'
  const info = {
    clientId: `C-${canary.slice(0, 6)}`,
    emailSha256: `mail${canary}`,
    deviceToken: `token${canary}`,
  }
  const capture = aCapture({ device: { id: `D-${canary.slice(0, 6)}`, brand: `brand${canary}` } })
  const body = anUpload(capture, { realIp: address, additionalInfo: info })
  expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)

  const siteKey = await makeSiteKey(service.db, tenant.subscriptionId)
  const { id, referenceNumber } = await openOne(service.url, siteKey)
  const segment = aSegment(0, { events: [{ t: 1, type: 'focus', target: `field${canary}` }] })
  const headers = { 'X-Real-IP': address }
  expect((await sendFromPage(service.url, `/c?c=${id}&n=0`, encodeSegment(segment))).status).toBe(200)
  const stored = (await service.db('collection_segments').first()).body
  expect(sealedVersion(stored)).toBe(1)
  await assignInfo(service.url, tenant.uploaderKey, { referenceNumber, additionalInfo: info })
  expect((await sendFromPage(service.url, `/c/complete?c=${id}`, { segments: 1 }, headers)).status).toBe(200)

  const token = await logIn(service.url, tenant)
  for (const number of [body.referenceNumber, referenceNumber]) {
    expect((await readInsight(service.url, token, number)).status).toBe(200)
    const conflict = { referenceNumber: number, additionalInfo: { emailSha256: 'another' } }
    expect((await assignInfo(service.url, tenant.uploaderKey, conflict)).body.title).toBe(
      'additional_info_conflict',
    )
    const more = {
      referenceNumber: number,
      additionalInfo: { emailSha256: info.emailSha256, phone: `tel${canary}` },
    }
    expect((await assignInfo(service.url, tenant.uploaderKey, more)).status).toBe(200)
    const record = await call(service.url, 'GET', `/api/datasets/v1/${number}`, { token })
    expect(record.body).toMatchObject({
      status: 'ready',
      clientId: info.clientId,
      additionalInfo: { ...info, phone: `tel${canary}` },
    })
    const shown = await runAdminHere(['dataset', 'show', tenant.name, number], {
      env: { DATABASE_URL: service.location.database.url, DATA_ENCRYPTION_KEYS: keySet(jwk) },
    })
    expect(JSON.parse(shown.stdout)).toMatchObject({
      additionalInfo: { phone: `tel${canary}` },
      insight: { features: { ip_known: true, ip_version: 6, info_client_known: true } },
    })
  }
  const exported = await fetch(`${service.url}/api/exports/v1/datasets`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  expect(await exported.text()).toContain(`tel${canary}`)

  const rows = await listRows(service.db)
  const hex = (text: string) => Buffer.from(text).toString('hex')
  const data = Buffer.from(String(body.data), 'base64').subarray(12, 60).toString('hex')
  for (const [table, texts] of Object.entries(rows)) {
    // the brand is a part of the insight, which is not the capture
    const dump = texts.join('\n').replaceAll(`brand${canary}`, '')
    for (const secret of [`mail${canary}`, `token${canary}`, `tel${canary}`, `field${canary}`, address])
      for (const form of [secret, hex(secret)])
        expect(dump.includes(form), `${secret} in ${table}`).toBe(false)
    expect(dump.includes(data), `the capture in ${table}`).toBe(false)
    for (const key of [...(await rawKeys()), jwk.k])
      expect(dump.includes(key), `a key in ${table}`).toBe(false)
  }
  expect(rows.datasets).toHaveLength(2)
})

const rawKeys = async () => {
  const keys = await vault.findKeys(tenant.subscriptionId)
  return [keys?.current.key, keys?.velocitySecret].map((key) => key?.export().toString('hex') ?? 'none')
}

describe('a dataset', () => {
  test('waits while its key is missing or another one, and readiness says so', async () => {
    const subscriptionId = await openSubscription()
    const [dataset] = (await receive(vault, aStoredUpload(subscriptionId))) as [DatasetKey]
    const producer = { check: async () => undefined } as never
    for (const [keys, message] of [
      [
        [],
        `DATA_ENCRYPTION_KEYS has no key ${jwk.kid}, which wraps the keys of subscription ${subscriptionId}`,
      ],
      [
        wrappingKeysOf([{ ...makeWrappingJwk(), kid: jwk.kid }]),
        `The key ${jwk.kid} of DATA_ENCRYPTION_KEYS is not the one that wrapped the keys of subscription ${subscriptionId}`,
      ],
    ] as const) {
      const wrong = openVault(service.db, keys)
      await expect(processBatch(contextOf(wrong), [dataset])).rejects.toThrow(new DataKeyError(message))
      expect(await rowOf(dataset)).toMatchObject({ status: 'received', ring_at: expect.any(Date) })
      await expect(receive(wrong, aStoredUpload(subscriptionId))).rejects.toThrow(DataKeyError)
      const { encryption } = await openStoreCheck(service.db, producer, wrong)()
      expect(encryption?.[0]).toContain(`${jwk.kid}`)
    }
    expect(await openStoreCheck(service.db, producer, vault)()).toEqual({})
    await processBatch(contextOf(vault), [dataset])
    expect((await rowOf(dataset)).status).toBe('ready')
  })

  test('with the capture or address of another one is not processed; its neighbours are', async () => {
    const subscriptionId = await openSubscription()
    const keys = await receive(vault, ...[1, 2, 3].map(() => aStoredUpload(subscriptionId)))
    const [one, other, neighbour] = keys as [DatasetKey, DatasetKey, DatasetKey]
    const { blob, sealed_info: sealedInfo } = await rowOf(neighbour)
    await service.db('datasets').where({ id: one.id }).update({ blob })
    await service.db('datasets').where({ id: other.id }).update({ sealed_info: sealedInfo })
    await expect(processBatch(contextOf(vault), keys)).rejects.toThrow('2 datasets of a batch failed')
    await expect(processBatch(contextOf(vault), [one])).rejects.toThrow('belongs to another row')
    const statuses = await Promise.all(keys.map(async (key) => (await rowOf(key)).status))
    expect(statuses).toEqual(['received', 'received', 'ready'])
  })

  test('whose data only looks sealed is invalid', async () => {
    const subscriptionId = await openSubscription()
    const forged = Buffer.concat([sealedPrefix(1), randomBytes(100)])
    const keys = [
      ...(await receive(PLAIN_VAULT, aStoredUpload(subscriptionId, { blob: forged }))),
      ...(await receive(vault, aStoredUpload(subscriptionId, { blob: forged }))),
    ]
    await processBatch(contextOf(vault), keys)
    for (const key of keys)
      expect(await rowOf(key)).toMatchObject({ status: 'invalid', invalid_code: 'not_gzip' })
  })

  test('of before is encrypted in the background, and processed as before', async () => {
    const subscriptionId = await openSubscription()
    const members = { realIp: '203.0.113.9', additionalInfo: { clientId: 'C-1', phone: '+1' } }
    const keys = await receive(PLAIN_VAULT, ...[1, 2].map(() => aStoredUpload(subscriptionId, members)))
    const [ready, waiting] = keys as [DatasetKey, DatasetKey]
    await processBatch(contextOf(PLAIN_VAULT), [ready])
    await age(subscriptionId)
    await convert()
    await service.db('data_keys').update({ created_at: new Date(0) })
    await convert()
    for (const key of keys) {
      const row = await rowOf(key)
      expect(row).toMatchObject({ real_ip: null, additional_info: { clientId: 'C-1', phone: null } })
      expect([row.blob, row.sealed_info].map(sealedVersion)).toEqual([1, 1])
      const record = await findDatasetRecord(service.db, subscriptionId, row.reference_number, vault)
      expect(record?.additionalInfo).toEqual(members.additionalInfo)
    }
    await processBatch(contextOf(vault), [waiting])
    const { velocity } = await rowOf(waiting)
    expect([velocity.device.datasets, velocity.client.datasets]).toEqual([2, 2])
    const progress = await service
      .db('encryption_progress')
      .where({ subscription_id: subscriptionId })
      .first()
    expect(progress.converted_at).not.toBeNull()
  })
})

test('rotation beside uploads loses nothing: the old wrapping key and the old version can go', {
  timeout: 60_000,
}, async () => {
  const subscriptionId = await openSubscription()
  const fresh = makeWrappingJwk()
  const env = { DATABASE_URL: service.location.database.url, DATA_ENCRYPTION_KEYS: keySet(fresh, jwk) }
  const uploads = Array.from({ length: 60 }, () => aStoredUpload(subscriptionId))
  const running = openVault(service.db, wrappingKeysOf([jwk, fresh]))
  await running.findKeys(subscriptionId)
  const atOnce = pLimit(4)
  const receiving = Promise.all(uploads.map((one) => atOnce(() => receive(running, one))))
  const rotated = await runAdminHere(['data-key', 'rotate', '--new-version'], { env })
  expect(JSON.parse(rotated.stdout)).toMatchObject({ kid: fresh.kid })
  const keys = (await receiving).flat()
  expect(await rewrapKeys(service.db, wrappingKeysOf([fresh, jwk]))).toBe(0)
  await age(subscriptionId)

  const after = openVault(service.db, wrappingKeysOf([fresh]))
  await convert(after)
  const versions = new Set<unknown>()
  for (const key of keys) versions.add(sealedVersion((await rowOf(key)).blob))
  expect([...versions]).toEqual([2])
  await processBatch(contextOf(after), keys.slice(0, 30))
  await processBatch(contextOf(running), keys.slice(30)) // has the keys of before in its cache, and finds the new version
  const statuses = await Promise.all(keys.map(async (key) => (await rowOf(key)).status))
  expect(new Set(statuses)).toEqual(new Set(['ready']))

  // back to the key of the other tests
  await rewrapKeys(service.db, wrappingKeysOf([jwk, fresh]))
  expect(await addDataKey(service.db, wrappingKeys[0] as never, -1)).toBeUndefined()
})

test('the keys of a suspended subscription can be destroyed, and nothing is readable any more', async () => {
  const doomed = await service.openTenant()
  const env = { DATABASE_URL: service.location.database.url }
  const destroy = ['data-key', 'destroy', doomed.name, '--confirm']
  const [dataset] = (await receive(vault, aStoredUpload(doomed.subscriptionId))) as [DatasetKey]
  expect(await runAdminHere([...destroy, 'other'], { env })).toMatchObject({ code: 1 })
  expect((await runAdminHere([...destroy, doomed.name], { env })).stderr).toContain('not suspended')
  await runAdminHere(['subscription', 'suspend', doomed.name], { env })
  expect(await runAdminHere([...destroy, doomed.name], { env })).toMatchObject({ code: 0 })
  const later = openVault(service.db, wrappingKeys)
  await expect(processBatch(contextOf(later), [dataset])).rejects.toThrow('were destroyed')
  await expect(receive(later, aStoredUpload(doomed.subscriptionId))).rejects.toThrow('were destroyed')
  const listed = JSON.parse((await runAdminHere(['data-key', 'list'], { env })).stdout)
  const found = listed.subscriptions.find(({ name }: { name: string }) => name === doomed.name)
  expect(found).toMatchObject({ destroyed: true, wrappedBy: [] })
  expect(await later.listFaults()).toEqual([])
})

test('before encryption begins, data is stored as it is', async () => {
  await service.db.raw("update encryption_start set starts_at = now() + interval '1 day'")
  const subscriptionId = await openSubscription()
  const [dataset] = (await receive(openVault(service.db, wrappingKeys), aStoredUpload(subscriptionId))) as [
    DatasetKey,
  ]
  expect(sealedVersion((await rowOf(dataset)).blob)).toBeUndefined()
  const env = { DATABASE_URL: service.location.database.url }
  expect(await runAdminHere(['data-key', 'start'], { env })).toMatchObject({ code: 0 })
  const [next] = (await receive(openVault(service.db, wrappingKeys), aStoredUpload(subscriptionId))) as [
    DatasetKey,
  ]
  expect(sealedVersion((await rowOf(next)).blob)).toBe(1)
})

test('velocity counts on exactly while its keys become keyed hashes', { timeout: 60_000 }, async () => {
  const random = createRandom('rekey')
  const subscriptionId = await openSubscription()
  const drawn = Array.from({ length: 240 }, () => ({
    deviceId: `phone ${random.int(0, 9)}`,
    clientId: random.chance(0.2) ? undefined : `client ${random.int(0, 7)}`,
  }))
  const keys = await receive(
    PLAIN_VAULT,
    ...drawn.map(({ deviceId, clientId }) =>
      aStoredUpload(subscriptionId, {
        blob: gzipJson(aCapture({ device: { id: deviceId } })),
        additionalInfo: clientId === undefined ? {} : { clientId },
      }),
    ),
  )
  // one process found no keys just before they are created
  const late = openVault(service.db, [])
  expect(await late.findKeys(subscriptionId)).toBeUndefined()
  await processBatch(contextOf(late), keys.slice(0, 90))
  const subscriptionKeys = await vault.findKeys(subscriptionId)
  if (!subscriptionKeys) throw new Error('No keys')
  const contexts = [contextOf(vault), contextOf(openVault(service.db, wrappingKeys))]

  const atOnce = pLimit(5)
  const batches = Array.from({ length: 36 }, (_, n) => {
    const from = random.int(80, 180)
    return atOnce(() => processBatch(contexts[n % 2] as never, keys.slice(from, from + random.int(1, 12))))
  })
  let steps = 0
  const rekeying = (async () => {
    while (!(await rekeyVelocity(service.db, subscriptionId, subscriptionKeys, 4))) steps++
  })()
  await Promise.all([...batches, rekeying])
  expect(steps).toBeGreaterThan(3)
  await processBatch(contextOf(openVault(service.db, wrappingKeys)), keys)

  const rows = await Promise.all(keys.map(rowOf))
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['ready']))
  const all = rows.map(({ velocity, reference_number }, n) => ({ ...drawn[n], velocity, reference_number }))
  for (const kind of ['device', 'client'] as const) {
    const groups = Map.groupBy(all, (one) => one[`${kind}Id`])
    for (const [identifier, own] of groups) {
      if (identifier === undefined) continue
      const places = own.map(({ velocity }) => velocity[kind].datasets).toSorted((a, b) => a - b)
      expect(places, identifier).toEqual(own.map((_, n) => n + 1))
      const month = own.map(({ velocity }) => velocity[kind].windows['30d']).toSorted((a, b) => a - b)
      expect(month, identifier).toEqual(places)
      const other = kind === 'device' ? 'clientId' : 'deviceId'
      const others = new Set(own.flatMap((one) => one[other] ?? []))
      const last = own[0]?.reference_number
      const now = (await findDatasetRecord(service.db, subscriptionId, last, vault))?.velocityNow[kind]
      expect(now).toEqual({ datasets: own.length, [kind === 'device' ? 'clients' : 'devices']: others.size })
    }
  }
  for (const [table, column] of [
    ['devices', 'device_key'],
    ['clients', 'client_key'],
    ['client_devices', 'client_key'],
    ['client_devices', 'device_key'],
    ['sightings', 'key'],
  ] as const) {
    const stored: Buffer[] = await service.db(table).where({ subscription_id: subscriptionId }).pluck(column)
    expect(new Set(stored.map(({ length }) => length)), table).toEqual(new Set([33]))
    expect(stored.some((key) => key.includes(hash('sha256', 'phone 1', 'buffer')))).toBe(false)
  }
})
