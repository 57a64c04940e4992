import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { deleteDataset } from '../../db/datasets/delete-datasets.ts'
import { changeRetention } from '../../db/datasets/retention.ts'
import { BLOB_BYTES, makeObjectId, readReference } from '../../db/encryption/capture-reference.ts'
import { addDataKey } from '../../db/encryption/data-keys.ts'
import { sealedVersion } from '../../db/encryption/seal.ts'
import { openVault, type Vault } from '../../db/encryption/vault.ts'
import { makeWrappingJwk, wrappingKeysOf } from '../../db/encryption/wrapping-keys.ts'
import { takeBucket } from '../../db/object-store/bucket-owner.ts'
import type { CaptureStoreLocation } from '../../db/object-store/capture-store-url.ts'
import { writeKey } from '../../db/object-store/object-keys.ts'
import { type ObjectStore, openObjectStore } from '../../db/object-store/object-store.ts'
import { storeCaptures } from '../../db/object-store/store-captures.ts'
import { type Db, openDatabase, queryRows } from '../../db/postgres/database.ts'
import { sql } from '../../db/postgres/sql.ts'
import { beginDeletion, deleteNext, listTables } from '../../db/privacy/delete-subscription.ts'
import { requestErasure } from '../../db/privacy/privacy-requests.ts'
import { findCapture } from '../../db/privacy/stored-of-person.ts'
import { convertStored } from '../../worker/maintenance/convert-stored.ts'
import { enforceRetention } from '../../worker/maintenance/enforce-retention.ts'
import { erasePersons } from '../../worker/maintenance/erase-persons.ts'
import { relayOverdue } from '../../worker/maintenance/relay.ts'
import { removeCaptures, sweepCaptures } from '../../worker/maintenance/remove-captures.ts'
import { anActor } from '../support/actors.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { call, logIn, readInsight, upload } from '../support/client.ts'
import { CREDENTIALS, type ObjectServer, startObjectServer } from '../support/object-store.ts'
import { aSegment, encodeSegment, makeSiteKey, openOne, sendFromPage } from '../support/pages.ts'
import { runAdminHere } from '../support/run-admin.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'
import { killProcesses, paasEnv, startWorker } from '../support/start-process.ts'
import { openTestDatabase } from '../support/stores.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'

const log = pino({ level: 'silent' })
const actor = anActor('a test')
const jwk = makeWrappingJwk()
const wrappingKeys = wrappingKeysOf([jwk])
const { signal } = new AbortController()

let server: ObjectServer
let location: CaptureStoreLocation
let store: ObjectStore
let service: Service
let tenant: Tenant
let token: string
let vault: Vault

beforeAll(async () => {
  Object.assign(process.env, CREDENTIALS)
  server = await startObjectServer()
  const { endpoint, bucket } = server
  location = { bucket, prefix: 'inkling/', endpoint, region: 'us-east-1', isWritten: true }
  store = await openObjectStore(location)
  service = await startService({ worker: false, wrappingKeys, captureStore: location })
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
  vault = storeCaptures(openVault(service.db, wrappingKeys), store)
})
afterAll(async () => {
  await killProcesses()
  await service.stop()
  store.close()
  await server.close()
})

interface Row {
  readonly id: number
  readonly status: string
  readonly blob: Buffer | null
}

async function rowOf(referenceNumber: string): Promise<Row> {
  const [row] = await queryRows<Row>(
    service.db,
    sql`select id, status, blob from datasets where reference_number = ${referenceNumber}`,
  )
  if (!row) throw new Error(`No dataset ${referenceNumber}`)
  return row
}

/** The name of the object of a dataset; undefined if its capture is not in the store. */
async function keyOf(referenceNumber: string): Promise<string | undefined> {
  const { blob } = await rowOf(referenceNumber)
  const reference = blob && readReference(blob)
  return reference ? writeKey({ subscriptionId: tenant.subscriptionId, id: reference.id }) : undefined
}

const removing = () => ({ db: service.db, store, log })

/** Uploads a capture. @returns its number and the name of its object. */
async function uploadOne(members: Record<string, unknown> = {}, capture = aCapture()) {
  const body = anUpload(capture, members as never)
  expect(await upload(service.url, tenant.uploaderKey, body)).toMatchObject({ status: 200 })
  return { body, referenceNumber: body.referenceNumber, key: (await keyOf(body.referenceNumber)) as string }
}

const read = (referenceNumber: string) => readInsight(service.url, token, referenceNumber)

test('a worker that is killed while it reads a capture leaves it to another one', {
  timeout: 60_000,
}, async () => {
  const proxy = await openTcpProxy(server.endpoint)
  proxy.freeze()
  const { database, redis } = service.location
  const worker = await startWorker(
    paasEnv(
      { databaseUrl: database.url, redisUrl: redis?.url },
      {
        ...CREDENTIALS,
        DATA_ENCRYPTION_KEYS: JSON.stringify({ keys: [jwk] }),
        CAPTURE_STORE_URL: `s3://captures/inkling?endpoint=${new URL(proxy.url).origin}&write=off`,
      },
    ),
  )
  const { referenceNumber, key } = await uploadOne()
  expect(await store.list('')).toEqual([key])
  await vi.waitFor(() => expect(worker.output()).toContain('is unavailable (read)'), 20_000)
  await worker.end('SIGKILL')
  await proxy.cut()
  expect(await rowOf(referenceNumber)).toMatchObject({ status: 'received' })

  service.startWorker()
  await service.db.raw('update datasets set ring_at = now()')
  await relayOverdue({ db: service.db, producer: service.producer, log })
  expect(await read(referenceNumber)).toMatchObject({ status: 200 })
})

test('an upload is stored as an encrypted object, and all that reads captures finds it', async () => {
  const capture = aCapture({ device: { id: 'object-1', brand: 'canary' } })
  const { body, referenceNumber, key } = await uploadOne({}, capture)
  expect(await read(referenceNumber)).toMatchObject({ status: 200 })
  const { id, blob } = await rowOf(referenceNumber)
  expect(blob).toHaveLength(28)
  expect(key).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\d/${tenant.subscriptionId}/[\\da-f]{32}$`))
  const object = await store.read({
    subscriptionId: tenant.subscriptionId,
    id: Buffer.from(key.slice(-32), 'hex'),
  })
  expect(sealedVersion(object)).toBe(1)
  const [measured] = await queryRows<{ bytes: number }>(
    service.db,
    sql`select ${BLOB_BYTES} as bytes from datasets where id = ${id}`,
  )
  expect(Number(measured?.bytes)).toBe(object.length)
  const found = await findCapture(service.db, vault, tenant.subscriptionId, id)
  expect(found?.toString('base64')).toBe(body.data)
  await expect(
    findCapture(service.db, openVault(service.db, wrappingKeys), tenant.subscriptionId, id),
  ).rejects.toThrow('CAPTURE_STORE_URL is not set')
})

test('a repeated or rejected upload leaves no object', async () => {
  const { body } = await uploadOne()
  const before = await store.list('')
  const repeated = await Promise.all([1, 2, 3].map(() => upload(service.url, tenant.uploaderKey, body)))
  expect(repeated.map(({ status }) => status)).toEqual([200, 200, 200])
  const taken = {
    ...anUpload(aCapture({ device: { id: 'another' } })),
    referenceNumber: body.referenceNumber,
  }
  expect((await upload(service.url, tenant.uploaderKey, taken)).status).toBe(409)
  await removeCaptures(removing(), signal)
  expect(await store.list('')).toEqual(before)
})

test('a collection of a browser becomes an object', async () => {
  const siteKey = await makeSiteKey(service.db, tenant.subscriptionId)
  const { id, referenceNumber } = await openOne(service.url, siteKey)
  expect((await sendFromPage(service.url, `/c?c=${id}&n=0`, encodeSegment(aSegment(0)))).status).toBe(200)
  expect((await sendFromPage(service.url, `/c/complete?c=${id}`, { segments: 1 })).status).toBe(200)
  expect(await read(referenceNumber)).toMatchObject({ status: 200 })
  expect(await store.list('')).toContain(await keyOf(referenceNumber))
})

test('deletion, retention and erasure remove objects, and an erasure ends only then', async () => {
  const [deleted, expired, erased, kept] = [
    await uploadOne(),
    await uploadOne(),
    await uploadOne({ additionalInfo: { clientId: 'client-to-erase' } }),
    await uploadOne(),
  ]
  for (const { referenceNumber } of [deleted, expired, erased, kept])
    expect((await read(referenceNumber)).status).toBe(200)
  const { subscriptionId } = tenant
  await service.db.raw(
    `update datasets set uploaded_at = now() - interval '40 days' where id <= (select id from datasets where reference_number = ?)`,
    [expired.referenceNumber],
  )
  await changeRetention(service.db, subscriptionId, { blobDays: 30 })
  await enforceRetention({ db: service.db, log }, signal)
  expect(await deleteDataset(service.db, subscriptionId, deleted.referenceNumber, actor)).toBe('deleted')
  const person = { kind: 'client', id: 'client-to-erase' } as const
  const { id } = await requestErasure(service.db, { subscriptionId, person, actor })
  const stateOf = async () => (await service.db('privacy_requests').where({ id }).first()).state
  await erasePersons({ db: service.db, vault, log }, signal)
  expect(await stateOf()).toBe('running')
  expect(await store.list('')).toContain(erased.key)

  await removeCaptures(removing(), signal)
  await erasePersons({ db: service.db, vault, log }, signal)
  expect(await stateOf()).toBe('finished')
  const left = await store.list('')
  for (const { key } of [deleted, expired, erased]) expect(left).not.toContain(key)
  expect(left).toContain(kept.key)
  expect(await read(expired.referenceNumber)).toMatchObject({ status: 200 })
  await changeRetention(service.db, subscriptionId, { blobDays: null })
})

test('while the store is down, uploads are answered 503 and what waits stays; then both go on', {
  timeout: 60_000,
}, async () => {
  const before = await uploadOne()
  expect((await read(before.referenceNumber)).status).toBe(200)
  const waiting = await uploadOne()
  await server.kill()
  const body = anUpload()
  const { status, headers, body: problem } = await upload(service.url, tenant.uploaderKey, body)
  expect([status, problem.title]).toEqual([503, 'unavailable'])
  expect(headers.get('retry-after')).toBe('2')
  expect((await call(service.url, 'GET', '/readyz')).body.errors).toHaveProperty('captures')
  expect((await read(before.referenceNumber)).status).toBe(200)

  await server.start()
  expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
  await service.db.raw('update datasets set ring_at = now() where ring_at is not null')
  await relayOverdue({ db: service.db, producer: service.producer, log })
  for (const referenceNumber of [waiting.referenceNumber, body.referenceNumber])
    expect((await read(referenceNumber)).status).toBe(200)
  expect((await call(service.url, 'GET', '/readyz')).status).toBe(200)
})

test('orphans of past days are removed, and nothing else', async () => {
  const { subscriptionId } = tenant
  const old = (days: number) => makeObjectId(Date.now() - days * 86_400_000)
  const [orphan, recent, used] = [old(3), old(0), old(4)]
  for (const object of [orphan, recent])
    await store.write({ subscriptionId, id: object }, Buffer.from('capture'))
  const { referenceNumber } = await uploadOne()
  const { id, blob } = await rowOf(referenceNumber)
  expect((await read(referenceNumber)).status).toBe(200)
  const moved = Buffer.from(blob as Buffer)
  const content = await store.read({ subscriptionId, id: Buffer.from(moved.subarray(8, 24)) })
  await store.write({ subscriptionId, id: used }, content)
  used.copy(moved, 8)
  await service.db.raw('update datasets set blob = ? where id = ?', [moved, id])
  await sweepCaptures(removing(), signal)
  const left = await store.list('')
  const nameOf = (object: Buffer) => writeKey({ subscriptionId, id: object })
  expect(left).toEqual(expect.arrayContaining([recent, used].map(nameOf)))
  expect(left).not.toContain(nameOf(orphan))
})

test('a copy of the database removes nothing from the bucket of the original, until it takes it over', async () => {
  const { db } = service
  const copy = await openTestDatabase()
  const copyDb = openDatabase({ url: copy.url, poolMax: 4 })
  const messages: string[] = []
  const copyLog = pino({ level: 'error' }, { write: (line) => void messages.push(line) })
  const removingFromCopy = { db: copyDb, store, log: copyLog }
  const object = { subscriptionId: tenant.subscriptionId, id: makeObjectId() }
  const key = writeKey(object)
  await store.write(object, Buffer.from('capture'))
  const listForRemoval = (list: Db) =>
    queryRows(
      list,
      sql`insert into capture_removals (subscription_id, object_id, due_at) values (${object.subscriptionId}, ${object.id}, now())`,
    )

  await sweepCaptures(removing(), signal)
  const turns = await queryRows<{ task: string; begun: string }>(
    db,
    sql`select task, begun_at::text as begun from maintenance_turns where task ^@ 'bucket mark'`,
  )
  for (const { task, begun } of turns)
    await queryRows(copyDb, sql`insert into maintenance_turns values (${task}, ${begun}::timestamptz)`)
  await queryRows(db, sql`update maintenance_turns set begun_at = begun_at - interval '10 minutes'`)
  await sweepCaptures(removing(), signal)

  await listForRemoval(copyDb)
  await removeCaptures(removingFromCopy, signal)
  await sweepCaptures(removingFromCopy, signal)
  expect(await store.list('')).toContain(key)
  expect(messages.join()).toContain('belongs to another database')

  const env = {
    DATABASE_URL: copy.url,
    CAPTURE_STORE_URL: `s3://${server.bucket}/inkling?endpoint=${server.endpoint}`,
  }
  const taken = await runAdminHere(['capture-store', 'take-over'], { env })
  expect(JSON.parse(taken.stdout)).toEqual({ bucket: server.bucket, prefix: 'inkling/', tookOver: true })
  await listForRemoval(db)
  await removeCaptures(removing(), signal)
  expect(await store.list('')).toContain(key)
  await removeCaptures(removingFromCopy, signal)
  expect(await store.list('')).not.toContain(key)
  await takeBucket(db, store)
  await copyDb.destroy()
  await copy.drop()
})

test('with write=off, new captures are in Postgres, and those of before are read', async () => {
  const { referenceNumber } = await uploadOne()
  const { id, blob } = await rowOf(referenceNumber)
  const reading = storeCaptures(openVault(service.db, wrappingKeys), { ...store, isWritten: false })
  const owner = { subscriptionId: tenant.subscriptionId, kind: 'capture', name: referenceNumber } as const
  const stored = await reading.sealBlob(owner, Buffer.from('capture'))
  expect([readReference(stored), sealedVersion(stored)]).toEqual([undefined, 1])
  expect((await vault.open(owner, stored)).toString()).toBe('capture')
  expect(await reading.open(owner, blob as Buffer)).toEqual(
    await findCapture(service.db, vault, tenant.subscriptionId, id),
  )
})

test('a new key encrypts objects again', async () => {
  const { referenceNumber, key } = await uploadOne()
  expect((await read(referenceNumber)).status).toBe(200)
  await addDataKey(service.db, wrappingKeys[0] as never, tenant.subscriptionId)
  await service.db.raw(`update data_keys set created_at = created_at - interval '1 hour'`)
  await service.db.raw(`update datasets set uploaded_at = uploaded_at - interval '1 hour'`)
  const fresh = storeCaptures(openVault(service.db, wrappingKeys), store)
  await convertStored({ db: service.db, vault: fresh, log }, signal)
  const { id, blob } = await rowOf(referenceNumber)
  expect(readReference(blob as Buffer)?.keyVersion).toBe(2)
  expect(await findCapture(service.db, fresh, tenant.subscriptionId, id)).toBeInstanceOf(Buffer)
  await removeCaptures(removing(), signal)
  expect(await store.list('')).toContain(key) // another process may be reading it
  await service.db.raw('update capture_removals set due_at = now()')
  await removeCaptures(removing(), signal)
  expect(await store.list('')).not.toContain(key)
})

test('the deletion of a subscription removes its objects', async () => {
  const { subscriptionId } = tenant
  await beginDeletion(service.db, subscriptionId, actor)
  const tables = await listTables(service.db)
  while ((await deleteNext(service.db, subscriptionId, tables)) > 0);
  await service.db.raw('update capture_removals set due_at = now()') // of those that were replaced
  await removeCaptures(removing(), signal)
  const left = await store.list('')
  expect(left.filter((key) => key.includes(`/${subscriptionId}/`))).toHaveLength(1) // which has no row, in the test of orphans
})
