import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCapture, anUpload } from '../captures.ts'
import { logIn, readInsight, upload } from '../client.ts'
import { BACKENDS, type Service, startService, type Tenant } from '../service.ts'

describe.each(BACKENDS)('with the queue on %s', (backend) => {
  let service: Service
  let tenant: Tenant
  let token: string

  beforeAll(async () => {
    service = await startService({ backend })
    tenant = await service.openTenant()
    token = await logIn(service.url, tenant)
  })
  afterAll(() => service.stop())

  test('an uploaded dataset has an insight at once', async () => {
    const body = anUpload(aCapture({ device: { id: 'd1', brand: 'Google', model: 'Pixel 8', osVersion: '15' } }))
    const uploaded = await upload(service.url, tenant.uploaderKey, body)
    expect(uploaded.status).toBe(200)
    const { status, body: insight } = await readInsight(service.url, token, body.referenceNumber)
    expect(status).toBe(200)
    expect(Object.keys(insight)).toEqual(['datasetInfo', 'requestedDate', 'requestor', 'scores', 'fragments'])
    expect(insight.datasetInfo).toEqual({ ...uploaded.body, source: 0 })
  })
})
