import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { type Answer, assignInfo, call, logIn, readByCode, readInsight, upload } from '../support/client.ts'
import { addUser, BACKENDS, type Service, startService, type Tenant } from '../support/service.ts'

describe.each(BACKENDS)('deleting a dataset, with the queue on %s', (backend) => {
  let service: Service
  let tenant: Tenant
  let analyst: string
  let admin: string
  const adminEmail = `boss-${backend}@lender.example`

  beforeAll(async () => {
    service = await startService({ backend })
    tenant = await service.openTenant()
    await addUser(service.db, tenant.subscriptionId, adminEmail, 'admin')
    analyst = await logIn(service.url, tenant)
    admin = await logIn(service.url, { userEmail: adminEmail })
  })
  afterAll(() => service.stop())

  const remove = (referenceNumber: string, token = admin) =>
    call(service.url, 'DELETE', `/api/datasets/v1/${encodeURIComponent(referenceNumber)}`, { token })

  const expectProblem = (answer: Answer, status: number, title: string) =>
    expect({ status: answer.status, title: answer.body.title }).toEqual({ status, title })

  async function aDataset(deviceId = 'device-of-mine') {
    const body = anUpload(aCapture({ device: { id: deviceId } }), {
      realIp: '203.0.113.77',
      additionalInfo: { clientId: 'client-of-mine' },
    })
    expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
    expect((await readInsight(service.url, analyst, body.referenceNumber)).status).toBe(200)
    return body
  }

  const storedOf = async (referenceNumber: string) =>
    queryRows<Record<string, unknown>>(
      service.db,
      `select d.*, (select count(*)::int from insights i where i.subscription_id = d.subscription_id and i.dataset_id = d.id) as insights
       from datasets d where reference_number = ?`,
      [referenceNumber],
    )

  test('leaves a tombstone and an audit record; later requests for it return 410', async () => {
    const body = await aDataset()
    const { referenceNumber } = body
    expect(
      (await assignInfo(service.url, tenant.uploaderKey, { referenceNumber, additionalInfo: { a: '1' } }))
        .status,
    ).toBe(200)
    const answer = await remove(referenceNumber)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 204, body: '' })

    expect(await storedOf(referenceNumber)).toEqual([
      {
        subscription_id: tenant.subscriptionId,
        id: expect.any(Number),
        reference_number: referenceNumber,
        status: 'deleted',
        data_hash: Buffer.alloc(0),
        blob: null,
        real_ip: null,
        sealed_ip: null,
        sealed_info: null,
        additional_info: {},
        uploaded_at: expect.any(Date),
        ring_at: null,
        rings: 0,
        settled_at: expect.any(Date),
        platform: null,
        device_id: null,
        velocity: null,
        invalid_code: null,
        invalid_detail: null,
        collection_id: null,
        insights: 0,
      },
    ])
    for (const gone of [
      await upload(service.url, tenant.uploaderKey, body),
      await upload(service.url, tenant.uploaderKey, anUpload(aCapture(), { referenceNumber })),
      await assignInfo(service.url, tenant.uploaderKey, { referenceNumber, additionalInfo: { a: '1' } }),
      await readInsight(service.url, analyst, referenceNumber),
      await readByCode(service.url, tenant.requesterKey, referenceNumber),
      await call(service.url, 'GET', `/api/insights/v1/${referenceNumber}/explanation`, { token: analyst }),
      await remove(referenceNumber),
    ])
      expectProblem(gone, 410, 'dataset_deleted')
    const audit = await service.db('audit_events').where({ subject: referenceNumber })
    expect(audit).toMatchObject([{ actor: adminEmail, action: 'dataset.delete' }])
  })

  test('does not change velocity: the next dataset of its device has the next position', async () => {
    await aDataset('counted')
    const second = await aDataset('counted')
    expect((await remove(second.referenceNumber)).status).toBe(204)
    const third = await aDataset('counted')
    const { body } = await readInsight(service.url, analyst, third.referenceNumber)
    const velocity = body.fragments.find(({ code }: { code: string }) => code === 'velocity').value
    expect(velocity).toEqual({ isRepeatableUpload: '1', associatedDatasetsCount: '3' })
  })

  test('is for admins of its subscription', async () => {
    const { referenceNumber } = await aDataset()
    expectProblem(await remove(referenceNumber, analyst), 403, 'forbidden')
    expectProblem(await remove(referenceNumber, tenant.uploaderKey), 403, 'forbidden')
    expectProblem(await remove('nobody'), 404, 'dataset_not_found')
    expectProblem(await remove('a\0b'), 404, 'dataset_not_found')
    const other = await service.openTenant()
    const otherAdmin = `other-boss-${backend}@lender.example`
    await addUser(service.db, other.subscriptionId, otherAdmin, 'admin')
    const token = await logIn(service.url, { userEmail: otherAdmin })
    expectProblem(await remove(referenceNumber, token), 404, 'dataset_not_found')
    expect((await readInsight(service.url, analyst, referenceNumber)).status).toBe(200)
  })

  test('keeps its timeline with the actors, without the details', async () => {
    const { referenceNumber } = await aDataset()
    await assignInfo(service.url, tenant.uploaderKey, { referenceNumber, additionalInfo: { purpose: 'car' } })
    const show = (token: string) =>
      call(service.url, 'GET', `/api/datasets/v1/${encodeURIComponent(referenceNumber)}/timeline`, { token })
    const eventsOf = (answer: Answer): string[] =>
      answer.body.events.map(({ event }: { event: string }) => event)
    await expect
      .poll(async () => eventsOf(await show(analyst)).at(-1), { timeout: 10_000 })
      .toBe('recalculated')
    const before = await show(admin)
    expect(before.body).toMatchObject({ referenceNumber, status: 'ready', waiting: null, truncated: false })
    const names = eventsOf(before)
    expect(names.toSorted()).toEqual(
      [
        'received',
        'rung',
        'claimed',
        'ready',
        'read',
        'info_saved',
        'rung',
        'claimed',
        'recalculated',
      ].toSorted(),
    )
    expect(names[0]).toBe('received')
    for (const [earlier, later] of [
      ['claimed', 'ready'],
      ['ready', 'info_saved'],
      ['info_saved', 'recalculated'],
    ] as const)
      expect(names.indexOf(earlier)).toBeLessThan(names.indexOf(later))
    const times = before.body.events.map(({ at }: { at: string }) => at)
    expect(times).toEqual(times.toSorted())
    expect(before.body.events.find(({ event }: { event: string }) => event === 'info_saved')).toMatchObject({
      actor: expect.stringMatching(/^API key \d+$/),
      detail: { keys: ['purpose'] },
    })
    expect(before.body.events.find(({ event }: { event: string }) => event === 'read')).toMatchObject({
      actor: tenant.userEmail,
      detail: { address: expect.stringContaining('127.0.0.1') },
    })

    await remove(referenceNumber)
    const after = await show(analyst)
    expect(after.body.status).toBe('deleted')
    expect(after.body.events.at(-1)).toMatchObject({ event: 'deleted', actor: adminEmail })
    expect(eventsOf(after).slice(0, -1)).toEqual(names)
    expect(JSON.stringify(after.body)).not.toContain('purpose')

    expect(
      (await call(service.url, 'GET', '/api/datasets/v1/nobody/timeline', { token: admin })).status,
    ).toBe(404)
    const other = await logIn(service.url, await service.openTenant())
    expect((await show(other)).status).toBe(404)
  })
})

describe('deleting a dataset that still waits', () => {
  test('responds at once to requests that wait for its insight', async () => {
    const service = await startService({ worker: false, insightWaitMs: 15_000 })
    try {
      const tenant = await service.openTenant()
      await addUser(service.db, tenant.subscriptionId, 'boss@waiting.example', 'admin')
      const admin = await logIn(service.url, { userEmail: 'boss@waiting.example' })
      const body = anUpload()
      await upload(service.url, tenant.uploaderKey, body)
      const path = `/api/datasets/v1/${body.referenceNumber}`
      const { body: shown } = await call(service.url, 'GET', `${path}/timeline`, { token: admin })
      expect(shown).toMatchObject({
        status: 'received',
        waiting: { rings: 0 },
        events: [{ event: 'received' }],
      })

      const startedAt = performance.now()
      const reading = Array.from({ length: 5 }, () => readInsight(service.url, admin, body.referenceNumber))
      expect((await call(service.url, 'DELETE', path, { token: admin })).status).toBe(204)
      for (const answer of await Promise.all(reading)) expect(answer.body.title).toBe('dataset_deleted')
      expect(performance.now() - startedAt).toBeLessThan(10_000)

      const worker = service.startWorker() // its job is still there, and finds nothing
      const next = anUpload()
      await upload(service.url, tenant.uploaderKey, next)
      expect((await readInsight(service.url, admin, next.referenceNumber)).status).toBe(200)
      await worker.close()
      expect(
        (await service.db('datasets').where({ reference_number: body.referenceNumber }).first()).status,
      ).toBe('deleted')
    } finally {
      await service.stop()
    }
  })
})
