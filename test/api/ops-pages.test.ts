import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashPassword } from '../../api/account/password-hashing.ts'
import { createOperator } from '../../db/accounts/operators.ts'
import { nameSessions } from '../../db/monitoring/processes.ts'
import { openDatabase, queryRows } from '../../db/postgres/database.ts'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

const SHARED = 'a long passphrase of operators'
const OWN = 'a passphrase of one operator'

const basic = (user: string, password = OWN) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

let service: Service
let tenant: Tenant
let other: Tenant

beforeAll(async () => {
  service = await startService({ worker: false, opsPassword: SHARED })
  tenant = await service.openTenant()
  other = await service.openTenant()
  const passwordHash = await hashPassword(OWN)
  for (const name of ['ann', 'bob']) await createOperator(service.db, { name, passwordHash, createdBy: 'x' })
})
afterAll(() => service.stop())

async function open(path: string, headers: Record<string, string> = basic('ann')) {
  const answer = await fetch(`${service.url}${path}`, { headers })
  return { status: answer.status, text: await answer.text() }
}

const pathOf = ({ subscriptionId }: Tenant, action?: string) =>
  `/ops/subscriptions/${subscriptionId}${action === undefined ? '' : `/${action}`}`

/** Opens the question before an action. @returns its text and the form that answers it. */
async function ask(path: string, user = 'ann') {
  const { status, text } = await open(path, basic(user))
  expect(status, text).toBe(200)
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(text) ?? []
  const [, after = ''] = /name="after" value="(\d+)"/.exec(text) ?? []
  return { text, form: { token, after } }
}

/** Sends a form as a browser does. */
async function send(
  path: string,
  form: Record<string, string>,
  {
    headers = basic('ann') as Record<string, string>,
    body = new URLSearchParams(form) as URLSearchParams | string,
  } = {},
) {
  const answer = await fetch(`${service.url}${path}`, { method: 'POST', redirect: 'manual', headers, body })
  const text = await answer.text()
  return { status: answer.status, text, location: answer.headers.get('location') ?? '' }
}

/** Events of operators in the audit log of a subscription, oldest first. */
const recorded = ({ subscriptionId }: Tenant) =>
  queryRows<{ actor: string; id: number; action: string; datasets: number | null; address: string }>(
    service.db,
    `select actor, actor_id as id, action, (detail ->> 'datasets')::int as datasets, address from audit_events e
     where subscription_id = ? and actor_kind = 'operator' and action not like 'scorecard%' order by e.id`,
    [subscriptionId],
  )

describe('the overview', () => {
  test('shows subscriptions with their rates, what waits, limits and storage, and no reference number', async () => {
    await service.owner('subscriptions').insert({ name: '<b>Bold & "Co"</b>' })
    await queryRows(
      service.owner,
      'insert into limits (subscription_id, key_id, datasets_per_day) values (?, 0, 2)',
      [tenant.subscriptionId],
    )
    const body = anUpload()
    await upload(service.url, tenant.uploaderKey, body)
    await upload(service.url, tenant.uploaderKey, { ...anUpload(), data: 'AAAA' })
    await service.flushCounts()
    const { status, text } = await open('/ops')
    expect(status).toBe(200)
    const [, row = ''] = text.split(`<a href="${pathOf(tenant)}">${tenant.name}</a>`)
    const cells = [...row.matchAll(/<td[^>]*>([^<]*)</g)].map(([, cell]) => cell)
    expect(cells.slice(0, 8)).toEqual([
      ...['active', '0.1', '0', '0', '2', expect.stringMatching(/^\d s$/), '0', '2 of 2 (100 %)'],
    ])
    expect(text).toContain(`${tenant.name} has nearly reached a limit: datasets of today, 2 of 2 (100 %).`)
    expect(text).toContain('&lt;b&gt;Bold &amp; &quot;Co&quot;&lt;/b&gt;')
    expect(text).toContain('<dt>Time to drain</dt><dd>unknown</dd>')
    expect(text).toContain('No worker is connected: nothing is processed.')
    for (const page of [text, (await open(pathOf(tenant))).text])
      expect(page).not.toContain(body.referenceNumber)
  })

  test('lists processes by the names of their sessions, and warns of several versions', async () => {
    const named = (['web', 'worker'] as const).map((kind, n) =>
      openDatabase(nameSessions(service.location.database, { kind, version: `9.0.${n}` })),
    )
    for (const db of named) await queryRows(db, 'select')
    const { text } = await open('/ops')
    expect(text).toMatch(/<td>web [0-9a-f]{8}<\/td><td>9\.0\.0<\/td>/)
    expect(text).toMatch(/<td>worker [0-9a-f]{8}<\/td><td>9\.0\.1<\/td>/)
    expect(text).toContain('Processes of several versions run: 9.0.0, 9.0.1.')
    expect(text).not.toContain('No worker is connected')
    for (const db of named) await db.destroy()
  })

  test('has 50 subscriptions on a page, in order of their creation', async () => {
    await queryRows(
      service.owner,
      `insert into subscriptions (name) select 'S' || n from generate_series(1, 60) n`,
    )
    const namesOf = (text: string) =>
      [...text.matchAll(/<a href="\/ops\/subscriptions\/\d+">([^<]+)<\/a><\/td>/g)].map(([, name]) => name)
    const first = (await open('/ops')).text
    const [, next = ''] = /<a href="([^"]+)">Next page/.exec(first) ?? []
    const second = (await open(next)).text
    const names = [...namesOf(first).slice(0, 50), ...namesOf(second)]
    const all = await service.db('subscriptions').orderBy(['created_at', 'id']).pluck('name')
    expect(names).toHaveLength(all.length)
    expect(names.slice(0, 2)).toEqual([tenant.name, other.name])
    expect(names.at(-1)).toBe('S60')
    expect(second).not.toContain('Next page')
    expect((await open('/ops?after=x')).status).toBe(400)
  })
})

describe('an action', () => {
  test('asks first, is done once however often it is sent, and is recorded under the name of the operator', async () => {
    const path = pathOf(tenant, 'suspend')
    const { text, form } = await ask(path)
    expect(text).toContain(`sessions of ${tenant.name} and its test mode are rejected within 5 s.`)
    expect((await open(pathOf(tenant))).text).toContain(', active, since')

    const sent = await send(path, form)
    expect([sent.status, sent.location]).toEqual([303, `${pathOf(tenant)}?done=suspend&count=1`])
    expect((await open(sent.location)).text).toContain('Suspended: its credentials are rejected within 5 s.')
    const again = await send(path, form)
    expect((await open(again.location)).text).toContain('It was suspended already.')

    const [ann] = await service.db('operators').where({ name: 'ann' })
    const suspended = {
      actor: 'operator ann',
      id: ann.id,
      action: 'subscription.suspend',
      address: '127.0.0.1',
    }
    expect(await recorded(tenant)).toMatchObject([suspended])
    const { text: page } = await open(pathOf(tenant))
    expect(page).toContain(', suspended, since')
    expect(page).toContain('<td>operator ann</td><td>Suspended the subscription</td>')

    const resume = await ask(pathOf(tenant, 'resume'), 'bob')
    await send(pathOf(tenant, 'resume'), resume.form, { headers: basic('bob') })
    expect((await recorded(tenant)).map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'operator ann subscription.suspend',
      'operator bob subscription.resume',
    ])
    expect((await open('/ops')).text).toContain('<td>operator bob</td><td>Resumed the subscription</td>')
  })

  test('enqueues overdue datasets again', async () => {
    await queryRows(
      service.owner,
      `update datasets set ring_at = now() - interval '1 minute', rings = 3 where subscription_id = ?`,
      [tenant.subscriptionId],
    )
    const path = pathOf(tenant, 'retry')
    const { text, form } = await ask(path)
    expect(text).toContain(`Overdue datasets of ${tenant.name}, up to 5,000 at once: 2.`)
    const sent = await send(path, form)
    expect((await open(sent.location)).text).toContain('Overdue datasets: 2, enqueued again')
    expect((await open((await send(path, form)).location)).text).toContain('Overdue datasets: 0, enqueued')
    expect((await recorded(tenant)).slice(2)).toMatchObject([{ action: 'dataset.retry', datasets: 2 }])
  })

  test('processes invalid datasets again, and shows how many there are by error code', async () => {
    const worker = service.startWorker()
    const path = pathOf(tenant, 'reprocess')
    await expect.poll(async () => (await ask(path)).text).toContain(`Invalid datasets of ${tenant.name}: 1.`)
    await worker.close()
    await service.flushCounts()
    const { text } = await open(pathOf(tenant))
    expect(text).toContain('<td>not_gzip</td><td class="number">1</td>')
    expect(text).toContain('<dt>Uploads in 24 hours</dt><dd>2</dd>')

    const { form } = await ask(path)
    const sent = await send(path, form)
    expect((await open(sent.location)).text).toContain('Invalid datasets that are processed again: 1.')
    expect((await open((await send(path, form)).location)).text).toContain('processed again: 0.')
    expect((await recorded(tenant)).slice(3)).toMatchObject([{ action: 'dataset.reprocess', datasets: 1 }])
  })
})

describe('an action is rejected, and changes nothing,', () => {
  const path = () => pathOf(other, 'suspend')
  const expectUnchanged = async () => {
    expect(await service.db('subscriptions').where({ id: other.subscriptionId }).first()).toMatchObject({
      suspended_at: null,
    })
    expect(await recorded(other)).toEqual([])
  }

  test('without the token of its own question', async () => {
    const { form } = await ask(path())
    const foreign = [
      (await ask(pathOf(other, 'retry'))).form,
      (await ask(pathOf(tenant, 'suspend'))).form,
      (await ask(path(), 'bob')).form,
      (await ask(`${path()}?after=7`)).form,
      { ...form, token: `${form.token.slice(0, -3)}abc` },
      { ...form, token: 'x' },
    ]
    for (const wrong of foreign) expect((await send(path(), { ...wrong, after: '0' })).status).toBe(403)
    expect((await send(path(), {})).status).toBe(400)
    expect((await send(path(), { ...form, after: '-1' })).status).toBe(400)
    await expectUnchanged()
  })

  test('from a page of another origin', async () => {
    const { form } = await ask(path())
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site', Origin: 'https://inkling.example' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
    ])
      expect((await send(path(), form, { headers: { ...basic('ann'), ...headers } })).status).toBe(403)
    await expectUnchanged()
    // the public address, and the address that was called
    for (const [action, origin] of [
      ['resume', 'https://inkling.example'],
      ['retry', service.url],
    ] as const) {
      const asked = await ask(pathOf(other, action))
      const headers = { ...basic('ann'), Origin: origin, 'Sec-Fetch-Site': 'same-origin' }
      expect((await send(pathOf(other, action), asked.form, { headers })).status).toBe(303)
    }
    await expectUnchanged()
  })

  test('without an account, as something else than a form, or too large', async () => {
    const { form } = await ask(path())
    expect((await send(path(), form, { headers: {} })).status).toBe(401)
    expect((await send(path(), form, { headers: basic('ann', 'wrong') })).status).toBe(401)
    expect((await send(path(), form, { headers: basic('operator', SHARED) })).status).toBe(403)
    expect((await open(path(), basic('operator', SHARED))).status).toBe(403)
    expect((await open(pathOf(other), basic('operator', SHARED))).text).toContain('an account of your own')
    expect((await send(path(), form, { body: JSON.stringify(form) })).status).toBe(415)
    expect((await send(path(), { ...form, more: 'x'.repeat(5_000) })).status).toBe(413)
    for (const method of ['PUT', 'DELETE']) {
      const answer = await fetch(`${service.url}${path()}`, { method, headers: basic('ann') })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
      await answer.arrayBuffer()
    }
    await expectUnchanged()
  })

  test('on a subscription that does not exist, or is being deleted', async () => {
    const { form } = await ask(path())
    for (const unknown of ['/ops/subscriptions/999999', '/ops/subscriptions/999999/suspend'])
      expect((await open(unknown)).status).toBe(404)
    expect((await open('/ops/subscriptions/x')).status).toBe(404)
    await service
      .owner('subscriptions')
      .where({ id: other.subscriptionId })
      .update({ deleted_at: new Date() })
    expect((await open(path())).status).toBe(409)
    expect((await send(path(), form)).status).toBe(409)
    expect((await open(pathOf(other))).text).toContain('None: the subscription is being deleted')
    await expectUnchanged()
  })
})
