import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { summariseCounts } from '../../api/pipeline/summarise-counts.ts'
import type { PipelineCount } from '../../db/monitoring/pipeline-counts.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { call, logIn, upload } from '../support/client.ts'
import { addUser, BACKENDS, type Service, startService, type Tenant } from '../support/service.ts'

const NOT_GZIP = Buffer.from('no gzip').toString('base64')
const NO_CAPTURE = anUpload({ format: 'other' }).data

describe.each(BACKENDS)('the pipeline, with the queue on %s', (backend) => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ backend, worker: false })
  })
  afterAll(() => service.stop())

  async function openAdmin() {
    const tenant = await service.openTenant()
    const email = `boss-${tenant.subscriptionId}-${backend}@lender.example`
    await addUser(service.db, tenant.subscriptionId, email, 'admin')
    const token = await logIn(service.url, { userEmail: email })
    const ask = async (method: string, path = '', body?: object) => {
      const answer = await call(service.url, method, `/api/pipeline/v1${path}`, {
        token,
        ...(body && { body }),
      })
      expect(answer.status).toBe(200)
      return answer.body
    }
    return { tenant, email, ask }
  }

  const send = async ({ uploaderKey }: Tenant, members: Record<string, unknown> = {}) => {
    const body = anUpload(aCapture(), members)
    expect((await upload(service.url, uploaderKey, body)).status).toBe(200)
    return body
  }

  const rowsOf = ({ subscriptionId }: Tenant) =>
    service.db('datasets').where({ subscription_id: subscriptionId })

  const untilProcessed = async (tenant: Tenant) => {
    const waiting = rowsOf(tenant).whereNotNull('ring_at').pluck('id')
    await expect.poll(() => waiting.clone(), { timeout: 20_000 }).toEqual([])
    await service.flushCounts()
  }

  async function processAll(tenant: Tenant): Promise<void> {
    const worker = service.startWorker()
    await untilProcessed(tenant)
    await worker.close()
  }

  const auditOf = ({ subscriptionId }: Tenant) =>
    service
      .db('audit_events')
      .where({ subscription_id: subscriptionId })
      .whereIn('action', ['dataset.retry', 'dataset.reprocess'])
      .orderBy('id')
      .select('actor', 'action', 'detail')

  test('of a new subscription is empty, with every step', async () => {
    const { ask } = await openAdmin()
    const hour = await ask('GET')
    expect(hour).toMatchObject({
      window: 'hour',
      stepSeconds: 60,
      total: { uploads: 0, ready: 0, invalid: 0, latencyP50Ms: null, latencyP95Ms: null },
      invalidByReason: [],
      waiting: { datasets: 0, atLeast: false, oldestSeconds: null, overdue: 0, again: 0 },
      quarantine: { datasets: 0, atLeast: false, reasons: [] },
    })
    expect(hour.series).toHaveLength(60)
    const day = await ask('GET', '?window=day')
    expect(day.series).toHaveLength(96)
    expect(day.series[0].at).toMatch(/:(00|15|30|45):00\.000000$/)
    expect(Date.parse(`${day.series[1].at}Z`) - Date.parse(`${day.series[0].at}Z`)).toBe(900_000)
  })

  test('has the counts of the database: received, waiting, ready, and invalid by error code', async () => {
    const { tenant, ask } = await openAdmin()
    const first = await send(tenant)
    await Promise.all(Array.from({ length: 11 }, () => send(tenant)))
    await send(tenant, first) // a retry is no other dataset
    for (const data of [NOT_GZIP, NOT_GZIP, NO_CAPTURE]) await send(tenant, { data })
    await rowsOf(tenant)
      .where({ reference_number: first.referenceNumber })
      .update({ uploaded_at: new Date(Date.now() - 50_000), rings: 1 })
    await service.flushCounts()

    const before = await ask('GET')
    expect(before.total).toMatchObject({ uploads: 15, ready: 0, invalid: 0 })
    expect(before.waiting).toMatchObject({ datasets: 15, atLeast: false, overdue: 1, again: 0 })
    expect(before.waiting.oldestSeconds).toBeGreaterThan(49)
    expect(before.waiting.oldestSeconds).toBeLessThan(80)

    await processAll(tenant)
    for (const window of ['hour', 'day']) {
      const { series, total, ...rest } = await ask('GET', `?window=${window}`)
      expect(total).toMatchObject({ uploads: 15, ready: 12, invalid: 3 })
      expect(total.latencyP50Ms).toBeGreaterThan(1)
      expect(total.latencyP95Ms).toBeGreaterThan(45_000)
      expect(rest.invalidByReason).toEqual([
        { reason: 'not_gzip', datasets: 2 },
        { reason: 'unsupported_format', datasets: 1 },
      ])
      expect(rest.waiting).toEqual({ datasets: 0, atLeast: false, oldestSeconds: null, overdue: 0, again: 0 })
      expect(rest.quarantine).toEqual({ datasets: 3, atLeast: false, reasons: rest.invalidByReason })
      for (const name of ['uploads', 'ready', 'invalid'])
        expect(series.reduce((sum: number, step: Record<string, number>) => sum + (step[name] ?? 0), 0)).toBe(
          total[name],
        )
    }
  })

  test('overdue datasets are enqueued again, once in 15 s, and the audit log has the actor', async () => {
    const { tenant, email, ask } = await openAdmin()
    await Promise.all(Array.from({ length: 5 }, () => send(tenant)))
    expect(await ask('POST', '/retry')).toEqual({ datasets: 0, heard: true }) // they have just come
    // rung for in vain before, and not again for minutes
    await rowsOf(tenant).update({ rings: 6, ring_at: new Date(Date.now() + 500_000) })
    expect((await ask('GET')).waiting).toMatchObject({ datasets: 5, overdue: 5 })
    expect(await ask('POST', '/retry')).toEqual({ datasets: 5, heard: true })
    expect(await ask('POST', '/retry')).toEqual({ datasets: 0, heard: true })
    expect((await ask('GET')).waiting).toMatchObject({ datasets: 5, overdue: 0 })
    expect(await auditOf(tenant)).toEqual([
      { actor: email, action: 'dataset.retry', detail: { datasets: 5 } },
    ])
    await processAll(tenant)
  })

  test('invalid datasets are reprocessed by error code, by time, or all; waiting ones are skipped', async () => {
    const { tenant, email, ask } = await openAdmin()
    const uploads = []
    for (const data of [NOT_GZIP, NOT_GZIP, NOT_GZIP, NO_CAPTURE]) uploads.push(await send(tenant, { data }))
    await send(tenant)
    await processAll(tenant)
    const [old, gone] = uploads.map(({ referenceNumber }) => referenceNumber)
    await rowsOf(tenant).where({ reference_number: old }).update({ uploaded_at: '2026-01-01' })
    await rowsOf(tenant).where({ reference_number: gone }).update({ blob: null })

    const until = { status: 'invalid', until: '2026-06-01' }
    expect(await ask('POST', '/reprocess', until)).toEqual({ requeued: 1, withoutData: 0, next: null })
    const byReason = { status: 'invalid', reason: 'not_gzip' }
    expect(await ask('POST', '/reprocess', byReason)).toEqual({ requeued: 1, withoutData: 1, next: null })
    expect(await ask('POST', '/reprocess', byReason)).toEqual({ requeued: 0, withoutData: 1, next: null })
    expect((await ask('GET')).waiting).toMatchObject({ datasets: 0, oldestSeconds: null, again: 2 })
    expect((await ask('GET')).quarantine).toMatchObject({ datasets: 2 })
    // what was wrong is mended
    const { data } = anUpload()
    const blob = Buffer.from(data as string, 'base64')
    await rowsOf(tenant).where({ status: 'invalid' }).whereNotNull('blob').update({ blob })
    expect(await ask('POST', '/reprocess', { status: 'invalid' })).toMatchObject({ requeued: 1 })
    await processAll(tenant)

    const after = await ask('GET')
    expect(after.quarantine).toEqual({
      ...{ datasets: 1, atLeast: false },
      reasons: [{ reason: 'not_gzip', datasets: 1 }],
    })
    expect(after.total).toMatchObject({ uploads: 5, ready: 1, invalid: 4 }) // as each ended the first time
    expect(await rowsOf(tenant).where({ status: 'ready' })).toHaveLength(4)
    expect(await auditOf(tenant)).toEqual(
      [{ until: '2026-06-01T00:00:00.000Z' }, { reason: 'not_gzip' }, {}].map((wish) => ({
        ...{ actor: email, action: 'dataset.reprocess' },
        detail: { status: 'invalid', ...wish, datasets: 1 },
      })),
    )
  })
})

test('an invalid reprocess request is rejected with the reason', async () => {
  const service = await startService({ worker: false })
  const tenant = await service.openTenant()
  await addUser(service.db, tenant.subscriptionId, 'boss@lender.example', 'admin')
  const token = await logIn(service.url, { userEmail: 'boss@lender.example' })
  for (const [body, member] of [
    [{}, 'status'],
    [{ status: 'ready' }, 'status'],
    [{ status: 'invalid', since: 'yesterday' }, 'since'],
    [{ status: 'invalid', cursor: 'x' }, 'cursor'],
  ] as const) {
    const answer = await call(service.url, 'POST', '/api/pipeline/v1/reprocess', { token, body })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [member]])
  }
  const { status } = await call(service.url, 'GET', '/api/pipeline/v1?window=year', { token })
  expect(status).toBe(400)
  await service.stop()
})

test("a backlog over the scan limit still counts the subscription's uploads", async () => {
  const service = await startService({ worker: false })
  const [flooded, quiet] = [await service.openTenant(), await service.openTenant()]
  await service.db.raw(
    `insert into datasets (subscription_id, reference_number, data_hash, blob, ring_at, uploaded_at)
     select s, 'flood ' || n, '', '', now() - interval '1 hour', now() - interval '2 hours'
     from generate_series(1, 12000) n, (values (?::integer)) v (s)`,
    [flooded.subscriptionId],
  )
  await upload(service.url, quiet.uploaderKey, anUpload())
  const waitingOf = async ({ subscriptionId }: Tenant, email: string) => {
    await addUser(service.db, subscriptionId, email, 'admin')
    const token = await logIn(service.url, { userEmail: email })
    return (await call(service.url, 'GET', '/api/pipeline/v1', { token })).body.waiting
  }
  expect(await waitingOf(quiet, 'quiet@lender.example')).toMatchObject({
    datasets: 1,
    atLeast: false,
    overdue: 0,
  })
  const { oldestSeconds, ...others } = await waitingOf(flooded, 'flooded@lender.example')
  expect(others).toEqual({ datasets: 10_000, atLeast: true, overdue: 10_000, again: 0 })
  expect(oldestSeconds).toBeGreaterThan(7_000)
  await service.stop()
})

test('steps add up minutes, and latencies of a step are those of all its minutes', () => {
  const since = new Date('2026-11-21T10:00:00Z')
  const count = (minute: number, members: Partial<PipelineCount>): PipelineCount => ({
    ...{ subscriptionId: 1, minute: since.getTime() + minute * 60_000 },
    ...{ uploads: 0, ready: 0, invalid: {}, latencies: {}, ...members },
  })
  const { series, total, invalidByReason } = summariseCounts(
    [
      count(0, { uploads: 3, ready: 1, latencies: { 20: 1 } }),
      count(14, { uploads: 1, ready: 2, invalid: { a: 1 }, latencies: { 20: 1, 60: 2 } }),
      count(15, { invalid: { a: 1, b: 5 }, latencies: { 80: 6 } }),
    ],
    { since, stepMs: 900_000, steps: 3 },
  )
  expect(series).toEqual([
    { at: since, uploads: 4, ready: 3, invalid: 1, latencyP50Ms: 11, latencyP95Ms: 1_059 },
    {
      ...{ at: new Date('2026-11-21T10:15:00Z'), uploads: 0, ready: 0, invalid: 6 },
      ...{ latencyP50Ms: 10_593, latencyP95Ms: 10_593 },
    },
    {
      ...{ at: new Date('2026-11-21T10:30:00Z'), uploads: 0, ready: 0, invalid: 0 },
      ...{ latencyP50Ms: null, latencyP95Ms: null },
    },
  ])
  expect(total).toEqual({ uploads: 4, ready: 3, invalid: 7, latencyP50Ms: 10_593, latencyP95Ms: 10_593 })
  expect(invalidByReason).toEqual([
    { reason: 'b', datasets: 5 },
    { reason: 'a', datasets: 2 },
  ])
})
