import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeCapture } from '../../../api/client/src/encode-capture.ts'
import { Inkling, type ProblemError } from '../../../api/client/src/index.ts'
import { aCapture } from '../../support/captures.ts'
import { type Service, startService, type Tenant } from '../../support/service.ts'

let service: Service
let tenant: Tenant
let uploader: Inkling
let requester: Inkling

beforeAll(async () => {
  service = await startService({ backend: 'postgres' })
  tenant = await service.openTenant()
  uploader = new Inkling({ baseUrl: service.url, key: tenant.uploaderKey })
  requester = new Inkling({ baseUrl: service.url, key: tenant.requesterKey })
})
afterAll(() => service.stop())

test('a dataset is uploaded from an object, base64, bytes or a blob, all the same, and its insight is read', async () => {
  const capture = aCapture({ device: { id: 'a device' } })
  const referenceNumber = 'LN/2026 #1'
  const receipt = await uploader.upload({ referenceNumber, capture, additionalInfo: { clientId: 'C-1' } })
  expect(receipt.referenceNumber).toBe(referenceNumber)

  const base64 = await encodeCapture(capture)
  const bytes = Buffer.from(base64, 'base64')
  for (const data of [base64, bytes, new Blob([bytes])])
    expect(await uploader.upload({ referenceNumber, data })).toEqual(receipt)

  expect(await uploader.addInfo(referenceNumber, { branch: 'north' })).toEqual({
    referenceNumber,
    additionalInfo: { clientId: 'C-1', branch: 'north' },
  })
  const insight = await requester.waitForInsight(referenceNumber, { codes: ['velocity', 'unknown'] })
  expect(insight.insights.map(({ code }) => code)).toEqual(['velocity'])
  expect((await requester.insight(referenceNumber)).insights.length).toBeGreaterThan(1)
})

test('an error of the service is a ProblemError', async () => {
  const upload = uploader.upload({
    referenceNumber: '',
    data: '?',
    additionalInfo: { clientId: 'x'.repeat(1_001) },
  })
  const error: ProblemError = await upload.catch((cause) => cause)
  expect(error).toMatchObject({ name: 'ProblemError', title: 'validation_failed', status: 400 })
  expect(Object.keys(error.errors).toSorted()).toEqual(['additionalInfo.clientId', 'data', 'referenceNumber'])
  expect(error.traceId).toMatch(/^[\w-]+$/)
  await expect(requester.insight('unknown')).rejects.toMatchObject({ title: 'dataset_not_found' })
  await expect(requester.upload({ referenceNumber: 'x', data: 'H4sI' })).rejects.toMatchObject({
    title: 'forbidden',
  })
})
