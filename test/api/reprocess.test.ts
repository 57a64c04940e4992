import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { type Answer, call, logIn, readInsight, upload } from '../support/client.ts'
import { addUser, type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let admin: string

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  await addUser(service.db, tenant.subscriptionId, 'boss@lender.example', 'admin')
  admin = await logIn(service.url, { userEmail: 'boss@lender.example' })
})
afterAll(() => service.stop())

const reprocess = (referenceNumber: string) =>
  call(service.url, 'POST', `/api/datasets/v1/${encodeURIComponent(referenceNumber)}/reprocess`, {
    token: admin,
  })

const expectProblem = (answer: Answer, status: number, title: string) =>
  expect({ status: answer.status, title: answer.body.title }).toEqual({ status, title })

const untilProcessed = async () => {
  const waiting = service.db('datasets').whereNotNull('ring_at').pluck('id')
  await expect.poll(() => waiting.clone(), { timeout: 10_000 }).toEqual([])
}

async function aDataset(members: Record<string, unknown> = {}): Promise<string> {
  const body = anUpload(aCapture({ device: { id: crypto.randomUUID() } }), members)
  expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
  await readInsight(service.url, admin, body.referenceNumber)
  return body.referenceNumber
}

const eventsOf = async (referenceNumber: string) => {
  const path = `/api/datasets/v1/${encodeURIComponent(referenceNumber)}/timeline`
  const { body } = await call(service.url, 'GET', path, { token: admin })
  return body.events.map(({ event, actor }: { event: string; actor: string | null }) => [event, actor])
}

const listAudit = (subject: string) =>
  service
    .db('audit_events')
    .where({ subscription_id: tenant.subscriptionId, subject })
    .select('actor', 'action')

describe('reprocessing one dataset', () => {
  test('recalculates its insight, counts it once, and names the actor', async () => {
    const referenceNumber = await aDataset({ referenceNumber: 'a/b #1' })
    expect((await reprocess(referenceNumber)).body).toEqual({ referenceNumber, requeued: true })
    await untilProcessed()
    const { body } = await readInsight(service.url, admin, referenceNumber)
    const velocity = body.fragments.find(({ code }: { code: string }) => code === 'velocity')
    expect(velocity.value.associatedDatasetsCount).toBe('1')
    const events = await eventsOf(referenceNumber)
    expect(events).toContainEqual(['reprocess_requested', 'boss@lender.example'])
    expect(events).toContainEqual(['recalculated', null])
    expect(await listAudit(referenceNumber)).toEqual([
      { actor: 'boss@lender.example', action: 'dataset.reprocess' },
    ])
  })

  test('an invalid one becomes ready once the decoder accepts it', async () => {
    const referenceNumber = await aDataset({ data: Buffer.from('no gzip').toString('base64') })
    const { data } = anUpload()
    await service
      .db('datasets')
      .where({ reference_number: referenceNumber })
      .update({ blob: Buffer.from(data as string, 'base64') })
    expectProblem(await readInsight(service.url, admin, referenceNumber), 422, 'dataset_invalid')
    expect((await reprocess(referenceNumber)).body.requeued).toBe(true)
    await untilProcessed()
    expect((await readInsight(service.url, admin, referenceNumber)).status).toBe(200)
  })

  test('one that waits already is enqueued, and nothing else changes', async () => {
    const referenceNumber = await aDataset()
    const row = () => service.db('datasets').where({ reference_number: referenceNumber })
    await row().update({ ring_at: new Date(Date.now() + 3_600_000), rings: 3 })
    expect((await reprocess(referenceNumber)).body).toEqual({ referenceNumber, requeued: false })
    await untilProcessed()
    expect(await listAudit(referenceNumber)).toEqual([])
  })

  test('is rejected with the reason: unknown, deleted, or data removed', async () => {
    expectProblem(await reprocess('nobody has this'), 404, 'dataset_not_found')
    const deleted = await aDataset()
    await call(service.url, 'DELETE', `/api/datasets/v1/${deleted}`, { token: admin })
    expectProblem(await reprocess(deleted), 410, 'dataset_deleted')
    const gone = await aDataset()
    await service.db('datasets').where({ reference_number: gone }).update({ blob: null })
    const answer = await reprocess(gone)
    expectProblem(answer, 409, 'conflict')
    expect(answer.body.detail).toContain('removed')
    expect(await listAudit(gone)).toEqual([])
  })
})
