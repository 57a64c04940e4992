import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { openTenant, type Tenant } from '../support/service.ts'
import { withAdmin } from '../support/with-admin.ts'

const { stack, web, start, run, runProcess, admin, expectRefused, expectWrongUsage, listAudit } = withAdmin()

let tenant: Tenant

describe('dataset', () => {
  const SECRET = 'H4sIsecret'
  let good: string
  let faulty: string

  beforeAll(async () => {
    tenant = await openTenant(stack.db)
    const body = anUpload(aCapture({ device: { id: 'd1' } }), { additionalInfo: { clientId: 'c1' } })
    good = body.referenceNumber
    faulty = '#1/ä'
    await upload(web.url, tenant.uploaderKey, body)
    await upload(web.url, tenant.uploaderKey, { referenceNumber: faulty, data: SECRET })
    await stack.untilProcessed(10_000)
  })

  const settledAt = async (reference: string) =>
    (
      await stack.db('datasets').where({ reference_number: reference }).first('settled_at')
    ).settled_at.getTime()

  test('show prints everything about a dataset except its data', async () => {
    const shown = await admin(['dataset', 'show', tenant.name, good])
    const views = stack
      .db('audit_events')
      .where({ subscription_id: tenant.subscriptionId, action: 'dataset.view' })
    expect(await views.orderBy('id')).toMatchObject([
      {
        actor: expect.stringMatching(/^operator/),
        actor_kind: 'operator',
        subject: good,
        outcome: 'success',
      },
    ])
    expect(shown).toMatchObject({
      referenceNumber: good,
      status: 'ready',
      platform: 'android',
      waiting: false,
      invalid: null,
      additionalInfo: { clientId: 'c1' },
      velocity: { device: { datasets: 1 } },
    })
    expect(Object.keys(shown.insight)).toEqual(
      expect.arrayContaining(['scores', 'fragments', 'features', 'explanations']),
    )
    const quarantined = await admin(['dataset', 'show', tenant.name, faulty])
    expect(quarantined).toMatchObject({
      status: 'invalid',
      invalid: { code: expect.any(String) },
      insight: null,
    })
    expect(JSON.stringify([shown, quarantined])).not.toContain(SECRET)
    const other = await openTenant(stack.db)
    await expectRefused(
      [['dataset', 'show', tenant.name, 'none'], 'No such dataset in this subscription: "none"'],
      [['dataset', 'show', other.name, good], 'No such dataset in this subscription'],
    )
  })

  test('show prints the timeline', async () => {
    const eventsOf = async (reference: string) =>
      (await admin(['dataset', 'show', tenant.name, reference])).timeline.map(
        ({ event }: { event: string }) => event,
      )
    expect(await eventsOf(good)).toEqual(['received', 'rung', 'claimed', 'ready'])
    expect(await eventsOf(faulty)).toEqual(['received', 'rung', 'claimed', 'invalid'])
    const { timeline } = await admin(['dataset', 'show', tenant.name, faulty])
    expect(timeline.at(-1).detail).toEqual({ code: expect.any(String), detail: expect.any(String) })
  })

  test('list filters by status, reason and time, and counts invalid datasets by reason', async () => {
    const list = (...args: string[]) => admin(['dataset', 'list', tenant.name, '--status', ...args])
    const listed = async (...args: string[]) =>
      (await list(...args)).datasets.map(
        ({ referenceNumber }: { referenceNumber: string }) => referenceNumber,
      )
    const quarantine = await list('invalid')
    const { code } = quarantine.datasets[0].invalid
    expect(quarantine).toEqual({
      reasons: { [code]: 1 },
      datasets: [expect.objectContaining({ referenceNumber: faulty })],
    })
    const soon = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '') // UTC without a zone
    const far = ['dataset', 'list', tenant.name, '--status', 'invalid', '--since', soon]
    const env = { ...stack.env, TZ: 'Pacific/Kiritimati' }
    const none = { reasons: {}, datasets: [] }
    await Promise.all([
      expect(listed('ready')).resolves.toEqual([good]),
      expect(listed('received')).resolves.toEqual([]),
      expect(listed('invalid', '--reason', code, '--since', '2026-01-01')).resolves.toEqual([faulty]),
      expect(list('invalid', '--reason', 'not_utf8')).resolves.toEqual(none),
      expect(list('invalid', '--until', '2026-01-01T00:00:00Z')).resolves.toEqual(none),
      expect(runProcess(far, { env }).then(({ stdout }) => JSON.parse(stdout))).resolves.toEqual(none),
    ])
    await expectWrongUsage(
      [['dataset', 'list', tenant.name], '--status'],
      [['dataset', 'list', tenant.name, '--status', 'lost'], 'Allowed choices'],
      [
        ['dataset', 'list', tenant.name, '--status', 'ready', '--reason', code],
        'Only invalid datasets have an error code',
      ],
      [['dataset', 'list', tenant.name, '--status', 'ready', '--since', 'yesterday'], 'It must be a date'],
    )
  })

  test('reprocess processes the selected datasets again, waits until they are done, and counts nothing twice', async () => {
    const reprocess = async (...args: string[]) => {
      const before = [await settledAt(good), await settledAt(faulty)]
      const { code, stdout, stderr } = await run(['dataset', 'reprocess', tenant.name, ...args])
      const again = [await settledAt(good), await settledAt(faulty)].map((at, n) => at > (before[n] ?? 0))
      expect(code).toBe(0)
      const answer = JSON.parse(stdout)
      expect(stderr).toMatch(
        answer.requeued === 0 ? /^$/ : /^processed \d of \d in [\d.]+ s \(\d+ a second\)\n$/,
      )
      return { ...answer, again }
    }
    const all = { withoutData: 0 }
    const { reasons } = await admin(['dataset', 'list', tenant.name, '--status', 'invalid'])
    const reason = Object.keys(reasons)[0] ?? ''
    expect(await reprocess(good)).toEqual({ ...all, requeued: 1, processed: 1, again: [true, false] })
    for (const only of [
      ['--status', 'invalid'],
      ['--reason', reason],
    ])
      expect(await reprocess(...only)).toEqual({ ...all, requeued: 1, processed: 1, again: [false, true] })
    expect(await reprocess('--since', '2026-01-01')).toEqual({
      ...all,
      requeued: 2,
      processed: 2,
      again: [true, true],
    })
    expect(await reprocess('--until', '2026-01-01')).toEqual({
      ...all,
      requeued: 0,
      processed: 0,
      again: [false, false],
    })
    expect(await reprocess('--all')).toEqual({ ...all, requeued: 2, processed: 2, again: [true, true] })
    const { velocity, timeline } = await admin(['dataset', 'show', tenant.name, good])
    expect(velocity.device.datasets).toBe(1)
    const { rows } = await stack.db.raw('select datasets from devices where subscription_id = ?', [
      tenant.subscriptionId,
    ])
    expect(rows).toEqual([{ datasets: 1 }])
    expect(timeline.filter(({ event }: { event: string }) => event === 'reprocess_requested')).toEqual(
      Array(3).fill(expect.objectContaining({ actor: expect.stringMatching(/^operator/) })),
    )
    const audit = await listAudit(tenant.subscriptionId)
    expect(audit.slice(-6).map(({ action, detail }) => [action, detail])).toEqual([
      ['dataset.reprocess', { referenceNumbers: [good] }],
      ['dataset.reprocess', { status: 'invalid' }],
      ['dataset.reprocess', { status: 'invalid', reason }],
      ['dataset.reprocess', { since: '2026-01-01T00:00:00.000Z' }],
      ['dataset.reprocess', { until: '2026-01-01T00:00:00.000Z' }],
      ['dataset.reprocess', { all: true }],
    ])
  })

  test('reprocess rejects an ambiguous selection and unknown datasets', async () => {
    const reprocess = (...args: string[]) => ['dataset', 'reprocess', tenant.name, ...args] as const
    await expectWrongUsage(
      [reprocess(), 'Select datasets: reference numbers, --all, or any of'],
      [reprocess(good, '--all'), 'Select datasets'],
      [reprocess('--all', '--status', 'ready'), 'Select datasets'],
      [reprocess(good, '--status', 'ready'), 'Select datasets'],
      [reprocess('--status', 'ready', '--reason', 'x'), 'Only invalid datasets have an error code'],
      [reprocess('--status', 'lost'), 'Allowed choices'],
    )
    await expectRefused([reprocess(good, 'none'), 'No such dataset in this subscription: "none"'])
    expect(await stack.countWaiting()).toBe(0)
  })

  test('reprocess works with Redis unavailable: the relay enqueues later', async () => {
    const env = { ...stack.env, REDIS_URL: 'redis://127.0.0.1:1' }
    expect(await admin(['dataset', 'reprocess', tenant.name, '--all', '--no-wait'], { env })).toEqual({
      requeued: 2,
      withoutData: 0,
    })
    expect(await stack.countWaiting()).toBe(2)
    await stack.expireEnqueueTimeouts()
    await stack.untilProcessed(10_000)
  })

  test('reprocess interrupted by Ctrl-C reports its progress; started work still completes', async () => {
    const env = { ...stack.env, REDIS_URL: 'redis://127.0.0.1:1' } // so that nothing is processed yet
    const child = start(['dataset', 'reprocess', tenant.name, '--all'], env)
    const [stdout, ended] = [text(child.stdout), once(child, 'close')]
    await expect.poll(stack.countWaiting, { timeout: 10_000 }).toBe(2)
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(130)
    expect(JSON.parse(await stdout)).toEqual({ requeued: 2, withoutData: 0, processed: 0, interrupted: true })
    await stack.expireEnqueueTimeouts()
    await stack.untilProcessed(10_000)
    const { velocity } = await admin(['dataset', 'show', tenant.name, good])
    expect(velocity.device.datasets).toBe(1)
  })

  test('reprocess reports how many datasets no longer have data; delete is permanent', async () => {
    await stack.db('datasets').where({ reference_number: good }).update({ blob: null })
    expect(await admin(['dataset', 'reprocess', tenant.name, good])).toEqual({
      requeued: 0,
      withoutData: 1,
      processed: 0,
    })
    expect(await admin(['dataset', 'delete', tenant.name, good])).toEqual({
      referenceNumber: good,
      deleted: true,
    })
    const shown = await admin(['dataset', 'show', tenant.name, good])
    expect(shown).toMatchObject({ status: 'deleted', insight: null, additionalInfo: {}, velocity: null })
    expect(shown.timeline.at(-1)).toMatchObject({
      event: 'deleted',
      actor: expect.stringMatching(/^operator/),
    })
    expect((await listAudit(tenant.subscriptionId)).at(-1)).toMatchObject({
      action: 'dataset.delete',
      subject: good,
    })
    await expectRefused(
      [['dataset', 'delete', tenant.name, good], 'is already deleted'],
      [['dataset', 'delete', tenant.name, 'none'], 'No such dataset in this subscription: "none"'],
    )
  })
})
