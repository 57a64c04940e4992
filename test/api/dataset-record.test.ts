import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCapture, anUpload, encodeText } from '../support/captures.ts'
import { call, logIn, readInsight, upload } from '../support/client.ts'
import { addUser, type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
})
afterAll(() => service.stop())

const show = (referenceNumber: string) =>
  call(service.url, 'GET', `/api/datasets/v1/${encodeURIComponent(referenceNumber)}`, { token })

test('a ready dataset is shown with its scores, device, client, info and velocity', async () => {
  const body = anUpload(aCapture({ device: { id: 'phone-1' } }), {
    referenceNumber: 'a/b #1',
    additionalInfo: { clientId: 'C-1', branch: 'north' },
  })
  await upload(service.url, tenant.uploaderKey, body)
  const { body: insight } = await readInsight(service.url, token, body.referenceNumber)

  const { status, body: shown } = await show(body.referenceNumber)
  expect(status).toBe(200)
  const windows = { '10m': 1, '1h': 1, '24h': 1, '7d': 1, '30d': 1 }
  expect(shown).toEqual({
    referenceNumber: 'a/b #1',
    status: 'ready',
    platform: 'android',
    uploadedAt: insight.datasetInfo.uploadDate,
    settledAt: expect.any(String),
    waiting: false,
    deviceId: 'phone-1',
    clientId: 'C-1',
    scores: insight.scores,
    invalid: null,
    additionalInfo: { clientId: 'C-1', branch: 'north' },
    velocity: {
      device: { datasets: 1, windows, clients: 1 },
      client: { id: 'C-1', datasets: 1, windows, devices: 1 },
    },
    velocityNow: { device: { datasets: 1, clients: 1 }, client: { datasets: 1, devices: 1 } },
    dataKept: true,
    collection: null,
  })
})

test('the first dataset of a device shared by several clients keeps its counts, and is shown with the current ones', async () => {
  const references: string[] = []
  for (let n = 0; n < 6; n++) {
    const clientId = n === 5 ? 'Ünïque 客' : `R-${n}`
    const body = anUpload(aCapture({ device: { id: 'ring / ß' } }), { additionalInfo: { clientId } })
    await upload(service.url, tenant.uploaderKey, body)
    await readInsight(service.url, token, body.referenceNumber)
    references.push(body.referenceNumber)
  }
  const [first = '', , , , , last = ''] = references
  expect((await show(first)).body).toMatchObject({
    velocity: { device: { datasets: 1, clients: 1 }, client: { datasets: 1, devices: 1 } },
    velocityNow: { device: { datasets: 6, clients: 6 }, client: { datasets: 1, devices: 1 } },
  })
  expect((await show(last)).body.velocityNow).toEqual({
    device: { datasets: 6, clients: 6 },
    client: { datasets: 1, devices: 1 },
  })
})

test('an invalid dataset is shown with its error, and the request is not recorded as a read of its insight', async () => {
  const body = anUpload(undefined, { data: encodeText('{"format":') })
  await upload(service.url, tenant.uploaderKey, body)
  await expect
    .poll(async () => (await show(body.referenceNumber)).body, { timeout: 10_000 })
    .toMatchObject({
      status: 'invalid',
      waiting: false,
      platform: null,
      velocity: null,
      scores: [],
      invalid: { code: expect.any(String), detail: expect.any(String) },
    })
  const requests = await service.db('insight_requests').where({ reference_number: body.referenceNumber })
  expect(requests).toEqual([])
})

test('a deleted dataset is shown as a tombstone, and an unknown one is not found', async () => {
  const email = 'boss@lender.example'
  await addUser(service.db, tenant.subscriptionId, email, 'admin')
  const admin = await logIn(service.url, { userEmail: email })
  const { referenceNumber, ...body } = anUpload()
  await upload(service.url, tenant.uploaderKey, { referenceNumber, ...body })
  await readInsight(service.url, token, referenceNumber)
  await call(service.url, 'DELETE', `/api/datasets/v1/${referenceNumber}`, { token: admin })

  expect((await show(referenceNumber)).body).toMatchObject({
    status: 'deleted',
    deviceId: null,
    scores: [],
    velocity: null,
    velocityNow: { device: null, client: null },
    dataKept: false,
  })
  for (const unknown of ['LN-unknown', 'x'.repeat(101)])
    expect((await show(unknown)).body).toMatchObject({ status: 404, title: 'dataset_not_found' })
})
