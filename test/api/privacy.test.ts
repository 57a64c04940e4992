import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openVault } from '../../db/encryption/vault.ts'
import { makeWrappingJwk, wrappingKeysOf } from '../../db/encryption/wrapping-keys.ts'
import { convertStored } from '../../worker/maintenance/convert-stored.ts'
import { erasePersons } from '../../worker/maintenance/erase-persons.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { type Answer, call, logIn, readInsight, upload } from '../support/client.ts'
import { measureMemory } from '../support/collect-garbage.ts'
import { eventually } from '../support/eventually.ts'
import { listRows } from '../support/list-rows.ts'
import { runAdminHere } from '../support/run-admin.ts'
import { addUser, type Service, startService, type Tenant } from '../support/service.ts'
import { PROJECT } from '../support/start-process.ts'

const jwk = makeWrappingJwk()
const log = pino({ level: 'silent' })
const signal = new AbortController().signal

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService({ wrappingKeys: wrappingKeysOf([jwk]) })
  ;({ tenant, token } = await openAdmin())
})
afterAll(() => service.stop())

async function openAdmin() {
  const opened = await service.openTenant()
  const userEmail = `admin-${crypto.randomUUID()}@lender.example`
  await addUser(service.db, opened.subscriptionId, userEmail, 'admin')
  return { tenant: opened, token: await logIn(service.url, { userEmail }) }
}

const MB = 1024 * 1024

const post = (path: string, body: object): Promise<Answer> =>
  call(service.url, 'POST', `/api/privacy/v1/${path}`, { token, body })

const vault = () => openVault(service.db, wrappingKeysOf([jwk]))

/** Does what a worker does every few seconds and every minute. */
async function work(): Promise<void> {
  await convertStored({ db: service.db, vault: vault(), log }, signal)
  await erasePersons({ db: service.db, vault: vault(), log }, signal)
}

/** Uploads a dataset of a client and waits until it is processed. @returns its reference number */
async function uploadOf(clientId: string, device: string, of = tenant): Promise<string> {
  const body = anUpload(aCapture({ device: { id: device } }), {
    realIp: '203.0.113.77',
    additionalInfo: { clientId, note: `note of ${clientId}` },
  })
  expect((await upload(service.url, of.uploaderKey, body)).status).toBe(200)
  const waiting = service.db('datasets').whereNotNull('ring_at')
  await vi.waitFor(async () => expect(await waiting.clone().pluck('id')).toEqual([]), { timeout: 10_000 })
  return body.referenceNumber
}

/** The files of a gzipped tar. */
function readArchive(archive: Buffer): Map<string, string> {
  const tar = gunzipSync(archive)
  const files = new Map<string, string>()
  for (let at = 0; tar[at] !== 0; ) {
    const header = tar.subarray(at, at + 512)
    const size = Number.parseInt(header.toString('ascii', 124, 135), 8)
    const sum = Number.parseInt(header.toString('ascii', 148, 154), 8)
    expect(
      Buffer.from(header)
        .fill(' ', 148, 156)
        .reduce((total, byte) => total + byte, 0),
    ).toBe(sum)
    files.set(header.toString('ascii', 0, header.indexOf(0)), tar.toString('utf8', at + 512, at + 512 + size))
    at += 512 + Math.ceil(size / 512) * 512
  }
  return files
}

async function download(body: object): Promise<Map<string, string>> {
  const response = await fetch(`${service.url}/api/privacy/v1/exports`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/gzip')
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="person-[\d-]{10}\.tar\.gz"$/,
  )
  return readArchive(Buffer.from(await response.arrayBuffer()))
}

const listAudit = async () =>
  (
    await service
      .db('audit_events')
      .where({ subscription_id: tenant.subscriptionId })
      .whereLike('action', 'person.%')
      .orderBy('id')
      .select('action', 'subject', 'detail')
  ).map(({ action, subject, detail }) => ({ action, subject, datasets: detail.datasets }))

describe('a person', () => {
  test('is found, exported and erased; records name them by a keyed hash alone', async () => {
    const [client, device] = [`client-${crypto.randomUUID()}`, `device-${crypto.randomUUID()}`]
    const references = [await uploadOf(client, device), await uploadOf(client, device)]
    const other = await uploadOf('somebody else', device)
    expect((await readInsight(service.url, token, references[0] ?? '')).status).toBe(200)

    const found = await post('persons', { clientId: client })
    expect(found.body).toMatchObject({
      ...{
        datasets: 2,
        captures: 2,
        insights: 2,
        reads: 1,
        velocity: { datasets: 2, others: 1 },
        requests: [],
      },
    })
    const { personHash } = found.body
    expect((await post('persons', { deviceId: device })).body).toMatchObject({ datasets: 3 })
    expect((await post('persons', {})).body.title).toBe('validation_failed')
    expect((await post('persons', { clientId: 'a', deviceId: 'b' })).body.title).toBe('validation_failed')

    const files = await download({ clientId: client })
    expect([...files.keys()]).toEqual([
      'README.txt',
      'person.json',
      'sightings.json',
      ...['dataset', 'capture', 'insight', 'timeline', 'reads'].map((name) => `datasets/000001/${name}.json`),
      ...['dataset', 'capture', 'insight', 'timeline'].map((name) => `datasets/000002/${name}.json`),
    ])
    const json = (name: string) => JSON.parse(files.get(name) ?? 'null')
    expect(json('datasets/000001/dataset.json')).toMatchObject({
      referenceNumber: references[0],
      address: '203.0.113.77',
      additionalInfo: { clientId: client, note: `note of ${client}` },
      deviceId: device,
    })
    expect(json('datasets/000002/capture.json').device).toEqual({ id: device })
    const insight = json('datasets/000001/insight.json')
    expect(insight.scores[0]).toMatchObject({ code: 'demo_mobile' })
    expect(insight.explanations[0].reasons.length).toBeGreaterThan(0)
    expect([...files.values()].join()).not.toContain('somebody else')

    const { body: request } = await post('erasures', { clientId: client })
    expect(request).toMatchObject({ kind: 'erase', state: 'running', total: 2, datasets: 0, personHash })
    await work()
    const show = (id: string) => call(service.url, 'GET', `/api/privacy/v1/requests/${id}`, { token })
    expect((await show(request.id)).body).toMatchObject({ state: 'finished', datasets: 2 })
    for (const reference of references)
      expect((await readInsight(service.url, token, reference)).body.title).toBe('dataset_not_found')
    expect((await readInsight(service.url, token, other)).status).toBe(200)
    expect((await post('persons', { clientId: client })).body).toMatchObject({
      ...{ datasets: 0, velocity: null },
      requests: [
        { kind: 'erase', state: 'finished' },
        { kind: 'export', state: 'finished', datasets: 2 },
      ],
    })
    await service.flushCounts()
    const events = (await listAudit()).filter(({ subject }) => subject === personHash)
    expect(events.filter(({ action }) => action !== 'person.search')).toEqual(
      ['export', 'erase', 'erased'].map((verb) => ({
        ...{ action: `person.${verb}`, subject: personHash, datasets: 2 },
      })),
    )
    expect(events.filter(({ action }) => action === 'person.search')).toHaveLength(2)
    // nothing but reads that were made afterwards names them
    const { insight_requests, ...rows } = await listRows(service.db, tenant.subscriptionId)
    expect(JSON.stringify(rows)).not.toContain(client)
    const { audit_events, ...others } = rows
    for (const reference of references) expect(JSON.stringify(others)).not.toContain(reference)
    // the reference number is free: a later upload is a new dealing
    const again = anUpload(aCapture(), {
      referenceNumber: references[0] ?? '',
      additionalInfo: { clientId: client },
    })
    expect((await upload(service.url, tenant.uploaderKey, again)).status).toBe(200)
    expect((await post('persons', { clientId: client })).body.datasets).toBe(1)
  })

  test('with many datasets is exported in bounded memory, and a connection that breaks off is recorded', async () => {
    const client = 'many'
    const reference = await uploadOf(client, 'many phones')
    const [{ id }] = await service.db('datasets').where({ reference_number: reference }).select('id')
    await service.db.raw(
      `insert into datasets (subscription_id, reference_number, status, data_hash, blob, additional_info)
       select subscription_id, 'many-' || n, 'invalid', '', ?, '{"clientId": "many"}' from datasets, generate_series(1, 100) n where id = ?`,
      [randomBytes(256 * 1024), id],
    )
    const controller = new AbortController()
    const request = () =>
      fetch(`${service.url}/api/privacy/v1/exports`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ clientId: client }),
        signal: controller.signal,
      })
    const before = measureMemory()
    let received = 0
    for await (const chunk of (await request()).body ?? []) {
      if (received % (8 * MB) > (received + chunk.length) % (8 * MB))
        // the archive waits meanwhile, and another thread frees buffers
        await vi.waitFor(() => expect(measureMemory() - before).toBeLessThan(8 * MB), 10_000)
      received += chunk.length
    }
    expect(received).toBeGreaterThan(25 * MB)

    const response = await request()
    expect(response.headers.get('inkling-datasets')).toBe('101')
    const reader = response.body?.getReader()
    await reader?.read()
    const newest = async () =>
      (await service
        .db('privacy_requests')
        .where({ kind: 'export', total: 101 })
        .orderBy('requested_at', 'desc')
        .first()) ?? {}
    // the reader is slow: the archive waits for it
    await eventually(async () => expect((await newest()).state).toBe('running'))
    controller.abort()
    await vi.waitFor(async () => expect((await newest()).state).toBe('failed'), { timeout: 10_000 })
    expect((await newest()).datasets).toBeLessThan(101)
  })
})

describe('retention', () => {
  const change = (body: object) => call(service.url, 'PATCH', '/api/privacy/v1/retention', { token, body })

  test('is two years for captures by default; indefinite storage is asked for in words', async () => {
    const { body } = await call(service.url, 'GET', '/api/privacy/v1/retention', { token })
    expect(body).toEqual({ datasetDays: 'forever', captureDays: 730, capturesFrom: null })
    expect((await change({ datasetDays: 0 })).body.title).toBe('validation_failed')
    expect((await change({ captureDays: 'never' })).body.errors).toEqual({
      captureDays: ['must be whole days from 1 to 99999, or forever'],
    })
    expect((await change({ captureDays: null })).body).toMatchObject({ captureDays: 730 }) // counts as absent
    expect((await change({ captureDays: 'forever' })).body).toMatchObject({ captureDays: 'forever' })
    expect((await change({ datasetDays: 3_650 })).body).toEqual({
      ...{ datasetDays: 3_650, captureDays: 'forever', capturesFrom: null },
    })
  })
})

describe('scripts/admin', () => {
  const env = () => ({
    DATABASE_URL: service.location.database.url,
    DATA_ENCRYPTION_KEYS: JSON.stringify({ keys: [jwk] }),
  })
  const admin = async (...args: string[]) => {
    const { code, stdout, stderr } = await runAdminHere(args, { env: env() })
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  test('person export, erase and status', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'inkling-'))
    try {
      await uploadOf('by operator', 'phone of by operator')
      const of = [tenant.name, '--client-id', 'by operator']
      const file = join(folder, 'person.tar.gz')
      expect(await admin('person', 'export', ...of, '--out', file)).toMatchObject({
        state: 'finished',
        datasets: 1,
      })
      expect(readArchive(await readFile(file)).get('datasets/000001/dataset.json')).toContain('by operator')
      expect(await admin('person', 'erase', ...of)).toMatchObject({ wouldErase: { datasets: 1 } })
      const { id } = await admin('person', 'erase', ...of, '--yes')
      await work()
      expect(await admin('person', 'status', tenant.name, id)).toMatchObject({
        state: 'finished',
        datasets: 1,
      })
      expect((await admin('person', 'status', ...of)).requests).toMatchObject([
        { kind: 'erase' },
        { kind: 'export' },
      ])
      const run = (...args: string[]) => runAdminHere(args, { env: env() })
      expect(await run('person', 'export', ...of, '--out', file)).toMatchObject({ code: 1 })
      expect(await run('person', 'erase', tenant.name)).toMatchObject({ code: 2 })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  /** Runs a command as a process and kills it once it waits for a lock that is held here. */
  async function killAtLock(lock: string, args: readonly string[]): Promise<void> {
    const child = spawn(join(PROJECT, 'scripts/admin'), args, {
      ...{ cwd: PROJECT, stdio: 'ignore', env: { ...process.env, ...env() } },
    })
    const exit = once(child, 'exit')
    try {
      await service.owner.transaction(async (trx) => {
        await trx.raw(lock)
        const waiting = service
          .owner('pg_stat_activity')
          .whereRaw('datname = current_database()')
          .where({ wait_event_type: 'Lock' })
        await vi.waitFor(async () => expect(await waiting.clone().pluck('pid')).toHaveLength(1), {
          ...{ timeout: 30_000, interval: 50 },
        })
        child.kill('SIGKILL')
        expect(await exit).toEqual([null, 'SIGKILL'])
        // what it was about to do does not happen later either
        await service.owner.raw(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = ?',
          ['Lock'],
        )
      })
    } finally {
      child.kill('SIGKILL')
    }
  }

  test('subscription delete destroys the keys first, then all rows, also after it was killed, and leaves others as they are', async () => {
    const doomed = (await openAdmin()).tenant
    await uploadOf('of the doomed', 'doomed phone', doomed)
    const before = await listRows(service.db, tenant.subscriptionId)
    const rowsLeft = async () =>
      Object.entries(await listRows(service.db, doomed.subscriptionId)).flatMap(([name, rows]) =>
        rows.length > 0 ? [name] : [],
      )
    const wrong = await runAdminHere(['subscription', 'delete', doomed.name], {
      env: env(),
      stdin: 'another\n',
    })
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('nothing was deleted')
    expect(await rowsLeft()).toContain('datasets')

    await service
      .db('subscriptions')
      .where({ id: doomed.subscriptionId })
      .update({ suspended_at: new Date(Date.now() - 60_000) })
    const users = `select from users where subscription_id = ${doomed.subscriptionId} for update`
    await killAtLock(users, ['subscription', 'delete', doomed.name, '--yes'])
    const left = await rowsLeft()
    expect(left).toEqual(expect.arrayContaining(['subscriptions', 'users']))
    expect(left).not.toContain('datasets')
    expect((await service.db('subscriptions').where({ id: doomed.subscriptionId }))[0]).toMatchObject({
      ...{ name: doomed.name, deleted_at: expect.any(Date) },
    })

    const { code, stdout } = await runAdminHere(['subscription', 'delete', doomed.name], {
      env: env(),
      stdin: `${doomed.name}\n`,
    })
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, deleted: true })
    expect(await rowsLeft()).toEqual([
      ...['audit_chain', 'audit_events', 'audit_heads', 'data_keys', 'encryption_progress', 'subscriptions'],
    ])
    const keys = await service
      .db('data_keys')
      .where({ subscription_id: doomed.subscriptionId })
      .pluck('wrapped')
    expect(new Set(keys)).toEqual(new Set([null]))
    expect(await listRows(service.db, tenant.subscriptionId)).toEqual(before)
    await admin('subscription', 'delete', String(doomed.subscriptionId), '--yes')
    expect(
      await service
        .db('audit_events')
        .where({ subscription_id: doomed.subscriptionId })
        .whereLike('action', 'subscription.%')
        .orderBy('id')
        .pluck('action'),
    ).toEqual(['subscription.delete', 'subscription.deleted'])
    await admin('audit', 'verify')
  })
})
