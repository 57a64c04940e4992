import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeCapture } from '../../../api/client/src/encode-capture.ts'
import {
  Inkling,
  type ProblemError,
  verifyWebhook,
  type WebhookDelivery,
} from '../../../api/client/src/index.ts'
import { createApiKey } from '../../../db/accounts/api-keys.ts'
import { PLAIN_VAULT } from '../../../db/encryption/vault.ts'
import { openReach } from '../../../db/runtime/reach.ts'
import { openSender } from '../../../worker/webhooks/send-message.ts'
import { startWebhooks } from '../../../worker/webhooks/start-webhooks.ts'
import { aCapture } from '../../support/captures.ts'
import { openReceiver } from '../../support/receiver.ts'
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

test('insights of many datasets are read by batches, each with its result, in their order', async () => {
  const [first, second] = ['batch-1', 'batch-2']
  for (const referenceNumber of [first, second])
    await uploader.upload({ referenceNumber, capture: aCapture() })
  const asked = [first, ...Array.from({ length: 100 }, (_, at) => `unknown-${at}`), second, first]
  const results = await requester.insights(asked, { codes: ['velocity'] })
  expect(results.map(({ referenceNumber }) => referenceNumber)).toEqual(asked)
  expect(results.map(({ status }) => status)).toEqual([200, ...Array(100).fill(404), 200, 200])
  expect(results[0]?.insight?.insights.map(({ code }) => code)).toEqual(['velocity'])
  expect(results[1]?.problem?.title).toBe('dataset_not_found')
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

test('datasets are listed, shown and deleted with a key of these scopes', async () => {
  const { subscriptionId } = tenant
  const scopes = ['datasets:write', 'datasets:read', 'datasets:delete'] as const
  const { key } = await createApiKey(service.db, { subscriptionId, scopes })
  const inkling = new Inkling({ baseUrl: service.url, key })
  const references = Array.from({ length: 5 }, (_, at) => `list-${at}`)
  const data = await encodeCapture(aCapture())
  await Promise.all(references.map((referenceNumber) => inkling.upload({ referenceNumber, data })))

  const listed: string[] = []
  for await (const dataset of inkling.datasets.list({ referenceNumber: 'list-', limit: 2 }))
    listed.push(dataset.referenceNumber)
  expect(listed.toSorted()).toEqual(references.toSorted())

  await inkling.datasets.delete('list-3')
  await inkling.datasets.delete('list-3')
  expect(await inkling.datasets.get('list-3')).toMatchObject({ referenceNumber: 'list-3', status: 'deleted' })
  await expect(inkling.datasets.delete('unknown')).rejects.toMatchObject({ title: 'dataset_not_found' })
})

test('the feed returns the events of datasets, and resumes at its cursor', async () => {
  const { subscriptionId } = await service.openTenant()
  const { key } = await createApiKey(service.db, {
    subscriptionId,
    scopes: ['datasets:write', 'events:read'],
  })
  const inkling = new Inkling({ baseUrl: service.url, key })
  await inkling.upload({ referenceNumber: 'feed-1', capture: aCapture() })
  const feed = inkling.events({ types: ['dataset.ready'] })
  for await (const { data } of feed) {
    expect(data.referenceNumber).toBe('feed-1')
    break
  }
  await inkling.upload({ referenceNumber: 'feed-2', capture: aCapture() })
  for await (const { type, data } of inkling.events({ cursor: feed.cursor, types: ['dataset.ready'] })) {
    expect([type, data.referenceNumber]).toEqual(['dataset.ready', 'feed-2'])
    break
  }
  await expect(inkling.events({ cursor: 'of another' })[Symbol.asyncIterator]().next()).rejects.toMatchObject(
    {
      errors: { cursor: [expect.any(String)] },
    },
  )
})

test('webhooks are created, changed, tested, replayed and deleted, and their deliveries are listed', async () => {
  await using receiver = await openReceiver()
  const { subscriptionId } = await service.openTenant()
  const { key } = await createApiKey(service.db, { subscriptionId, scopes: ['webhooks:manage'] })
  const { webhooks } = new Inkling({ baseUrl: service.url, key })
  const { id, secret } = await webhooks.create({ url: receiver.url, label: 'loans' })
  const rotated = await webhooks.rotateSecret(id)
  expect(rotated.secrets).toHaveLength(2)
  expect(await webhooks.update(id, { types: ['dataset.ready'] })).toMatchObject({ id, label: 'loans' })
  const changed = await webhooks.get(id)
  expect(changed).toMatchObject({ url: receiver.url, types: ['dataset.ready'], state: 'enabled' })
  expect(await webhooks.list()).toEqual([changed])

  const { eventId } = await webhooks.test(id)
  expect(eventId).toMatch(/^evt_/)
  await webhooks.replay(id, { since: new Date(Date.now() - 3_600_000) })
  await expect(webhooks.replay(id, { since: 'yesterday' })).rejects.toThrow(RangeError)
  const deliver = startWebhooks({
    ...{ db: service.db, vault: PLAIN_VAULT, sender: openSender(openReach(undefined)) },
    onError: (error) => expect(error).toBeUndefined(),
  })
  const listed = async () => {
    const found: WebhookDelivery[] = []
    for await (const delivery of webhooks.deliveries(id, { limit: 1 })) found.push(delivery)
    return found
  }
  await expect.poll(listed).toMatchObject([{ eventId, type: 'webhook.test', outcome: 'delivered' }])
  await deliver.stop()
  const [message] = receiver.received
  for (const one of [secret, rotated.secret])
    expect(verifyWebhook(message?.headers ?? {}, message?.body ?? '', [one])).toMatchObject({ id: eventId })

  await webhooks.delete(id)
  await webhooks.delete(id)
  await expect(webhooks.get(id)).rejects.toMatchObject({ title: 'not_found' })
})
