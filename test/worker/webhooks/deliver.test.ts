import { setTimeout as delay } from 'node:timers/promises'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { PLAIN_VAULT } from '../../../db/encryption/vault.ts'
import { listDeliveries } from '../../../db/events/webhook-deliveries.ts'
import { leaseWebhooks, measureWaiting } from '../../../db/events/webhook-leases.ts'
import { findWindow } from '../../../db/events/webhook-window.ts'
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  requestReplay,
  requestTest,
  rotateSecret,
} from '../../../db/events/webhooks.ts'
import { type Db, openDatabase } from '../../../db/postgres/database.ts'
import { openReach, type Reach } from '../../../db/runtime/reach.ts'
import { retryTime } from '../../../worker/webhooks/retry-times.ts'
import { openSender } from '../../../worker/webhooks/send-message.ts'
import { startWebhooks, type Webhooks } from '../../../worker/webhooks/start-webhooks.ts'
import { anActor } from '../../support/actors.ts'
import { openReceiver, type Receiver } from '../../support/receiver.ts'
import { openTestDatabase, type TestDatabase } from '../../support/stores.ts'

const actor = anActor('admin')
const vault = PLAIN_VAULT
/** Retries begin after 5 ms instead of 5 s, and end after 4 minutes. */
const SCALE = 0.001
const EVERYWHERE: Reach = openReach(undefined)

let stored: TestDatabase
let db: Db
let subscriptions = 0
const errors: unknown[] = []
const cleanups: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 8 })
})
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
  expect(errors.splice(0)).toEqual([])
})
afterAll(async () => {
  await db.destroy()
  await stored.drop()
})

function start({ reach = EVERYWHERE, timeoutMs = 300, leaseSeconds = 1 } = {}): Webhooks {
  const sender = openSender(reach, { timeoutMs })
  const onError = (error: unknown) => errors.push(error)
  const webhooks = startWebhooks({ db, vault, sender, onError, leaseSeconds, scale: SCALE })
  cleanups.push(() => webhooks.stop())
  return webhooks
}

/** A subscription with a webhook. */
async function openWebhook({ types = [] as never[], url }: { types?: never[]; url?: string } = {}) {
  const receiver = await openReceiver()
  cleanups.push(async () => receiver[Symbol.asyncDispose]())
  const [subscription] = await db('subscriptions')
    .insert({ name: `lender ${++subscriptions}` })
    .returning('id')
  const subscriptionId: number = subscription.id
  cleanups.push(() => db('webhooks').where({ subscription_id: subscriptionId }).delete())
  const created = await createWebhook(
    { db, vault },
    { subscriptionId, actor, url: url ?? receiver.url, label: 'backend', types },
  )
  if (created === 'limit') throw new Error('limit')
  const { id, secret } = created
  return { receiver, secret, key: { subscriptionId, id }, by: { subscriptionId, id, actor } }
}

/** Records `count` events in a transaction; event n is about dataset n % datasets. */
async function record(
  subscriptionId: number,
  count: number,
  { datasets = count, from = 0 } = {},
): Promise<void> {
  await db.raw(
    `insert into events (subscription_id, position, dataset_id, type, data)
     select ?::int, pg_current_xact_id()::text::bigint, n % ?::int, 'dataset.ready', jsonb_build_object('n', n)
     from generate_series(?::int, ?::int) n`,
    [subscriptionId, datasets, from, from + count - 1],
  )
}

const numbers = ({ received }: Receiver) => received.map(({ data }) => data.n)
const sequence = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n)
const byNumber = (a: number | undefined, b: number | undefined) => (a ?? 0) - (b ?? 0)
const until = (check: () => void | Promise<void>, timeout = 8_000) =>
  vi.waitFor(check, { timeout, interval: 20 })

/** Checks that the events of each dataset arrived first in order; repeats may follow. */
function expectOrder({ received }: Receiver, datasets: number): void {
  const last = new Map<number, number>()
  for (const n of new Set(received.map(({ data }) => data.n as number))) {
    expect(last.get(n % datasets) ?? -1).toBeLessThan(n)
    last.set(n % datasets, n)
  }
}

test('messages are signed by each live secret, and a Standard Webhooks library verifies them', async () => {
  const { receiver, secret, key, by } = await openWebhook()
  const rotated = await rotateSecret({ db, vault }, { ...by, overlapHours: 24 })
  if (rotated === undefined || rotated === 'limit') throw new Error('not rotated')
  expect(rotated.secrets.map(({ expiresAt }) => expiresAt === null)).toEqual([true, false])
  start()
  await record(key.subscriptionId, 1)
  await until(() => expect(receiver.received).toHaveLength(1))
  const [message] = receiver.received
  if (!message) throw new Error('no message')
  const headers = message.headers as Record<string, string>
  const event = { type: 'dataset.ready', timestamp: expect.stringMatching(/^\d{4}-.*Z$/), data: { n: 0 } }
  expect(new Verifier(secret).verify(message.body, headers)).toEqual(event)
  expect(new Verifier(rotated.secret).verify(message.body, headers)).toEqual(event)
  expect(message.id).toMatch(/^evt_[0-9A-Za-z]{22}$/)

  // a receiver whose clock is 10 minutes ahead rejects it, as every library does
  vi.useFakeTimers({ now: Date.now() + 600_000, toFake: ['Date'] })
  expect(() => new Verifier(secret).verify(message.body, headers)).toThrow('timestamp')
  vi.useRealTimers()

  const last = await rotateSecret({ db, vault }, { ...by, overlapHours: 0 })
  if (last === undefined || last === 'limit') throw new Error('not rotated')
  await record(key.subscriptionId, 1, { from: 1 })
  await until(() => expect(receiver.received).toHaveLength(2))
  const signed = receiver.received[1]?.headers as Record<string, string>
  expect(signed['webhook-signature']?.split(' ')).toHaveLength(1)
  expect(() => new Verifier(secret).verify(receiver.received[1]?.body ?? '', signed)).toThrow()
  new Verifier(last.secret).verify(receiver.received[1]?.body ?? '', signed)
})

test('an event that fails holds later ones of its dataset only, and is tried again with its id', async () => {
  const { receiver, key } = await openWebhook()
  let failing = true
  receiver.answer = ({ data: { n } }, response) => {
    const fails = failing && n === 0
    response.writeHead(fails ? 500 : 200).end(fails ? `no \0 thanks${'x'.repeat(188)}😀` : 'ok')
  }
  start()
  await record(key.subscriptionId, 6, { datasets: 3 }) // 0 and 3 are of one dataset
  await until(() =>
    expect(numbers(receiver).toSorted(byNumber)).toEqual(expect.arrayContaining([1, 2, 4, 5])),
  )
  await until(() => expect(numbers(receiver).filter((n) => n === 0).length).toBeGreaterThan(2))
  expect(numbers(receiver)).not.toContain(3)
  expect((await findWebhook(db, key))?.state).toBe('enabled')
  failing = false
  await until(() => expect(numbers(receiver)).toContain(3))
  expectOrder(receiver, 3)
  expect(new Set(receiver.received.filter(({ data }) => data.n === 0).map(({ id }) => id)).size).toBe(1)
  await until(async () => {
    const log = await listDeliveries(db, key, { before: undefined, limit: 100 })
    expect(log.filter(({ outcome }) => outcome === 'delivered')).toHaveLength(6)
    expect(log.find(({ outcome }) => outcome === 'failed')).toMatchObject({
      ...{ status: 500, type: 'dataset.ready', attempt: expect.any(Number) },
      answer: `no \uFFFD thanks${'x'.repeat(188)}\uFFFD`, // 200 characters, the last one cut in two
    })
  })
})

test('10,000 events wait behind a dead receiver without being tried one by one, and arrive in order when it is back', async () => {
  const { receiver, key } = await openWebhook()
  let dead = true
  receiver.answer = (_message, response) => response.writeHead(dead ? 503 : 204).end()
  start({ timeoutMs: 5_000 })
  await record(key.subscriptionId, 10_000, { datasets: 500 })
  await until(async () => expect((await findWebhook(db, key))?.state).toBe('failing'))
  await delay(300)
  expect(receiver.received.length).toBeLessThan(60)
  expect(await db('webhook_retries').where({ webhook_id: key.id })).toSatisfy((rows) => rows.length < 1_000)
  dead = false
  receiver.received.length = 0
  await changeWebhook(db, { ...key, actor, url: receiver.url }) // tries again at once
  await until(() => expect(new Set(numbers(receiver)).size).toBeGreaterThan(3_000), 30_000)
  expectOrder(receiver, 500)
}, 60_000)

test('a receiver that hangs delays no other webhook', async () => {
  const slow = await openWebhook()
  slow.receiver.answer = () => undefined
  const fast = await openWebhook()
  start({ timeoutMs: 2_000 })
  await record(slow.key.subscriptionId, 100)
  await until(() => expect(slow.receiver.received.length).toBeGreaterThan(0))
  for (const n of sequence(20)) {
    await record(fast.key.subscriptionId, 1, { from: n })
    await until(() => expect(fast.receiver.received).toHaveLength(n + 1))
  }
  expect(slow.receiver.received.length).toBeLessThanOrEqual(16)
})

test('redirects are not followed; 410 disables the webhook, with an event and an audit record', async () => {
  const { receiver, key, by } = await openWebhook()
  const elsewhere = await openWebhook()
  receiver.answer = (_message, response) =>
    response.writeHead(301, { Location: elsewhere.receiver.url }).end('moved')
  start()
  await record(key.subscriptionId, 1)
  await until(() => expect(receiver.received.length).toBeGreaterThan(1))
  expect(elsewhere.receiver.received).toEqual([])
  receiver.answer = (_message, response) => response.writeHead(410).end()
  await until(async () =>
    expect(await findWebhook(db, key)).toMatchObject({ state: 'disabled', disabledReason: 'gone' }),
  )
  const audited = await db('audit_events').where({ action: 'webhook.disable', subject: String(key.id) })
  expect(audited).toMatchObject([{ actor: 'webhooks', detail: { reason: 'gone', label: 'backend' } }])
  expect(await requestTest(db, by)).toBe('disabled')
  receiver.answer = (_message, response) => response.writeHead(204).end()
  receiver.received.length = 0
  await changeWebhook(db, { ...by, enabled: true })
  await until(() =>
    expect(receiver.received.map(({ type }) => type)).toEqual(['dataset.ready', 'alert.webhook_disabled']),
  )
})

test('a receiver that takes nothing for three days is disabled', async () => {
  const { receiver, key } = await openWebhook()
  receiver.answer = (_message, response) => response.destroy()
  start()
  await record(key.subscriptionId, 1)
  await until(async () => expect((await findWebhook(db, key))?.failingSince).toEqual(expect.any(String)))
  const before = new Date(Date.now() - 73 * 3_600_000)
  await db('webhooks').where({ id: key.id }).update({ failing_since: before })
  await db('webhook_retries').where({ webhook_id: key.id }).update({ failed_since: before })
  await until(async () =>
    expect(await findWebhook(db, key)).toMatchObject({ state: 'disabled', disabledReason: 'failing' }),
  )
})

test('a test reaches its webhook only, past the filter; a replay repeats the events of a time with their ids', async () => {
  const { receiver, key, by } = await openWebhook({ types: ['dataset.ready'] as never[] })
  start()
  const since = new Date()
  await record(key.subscriptionId, 40, { datasets: 4 })
  await db('events').insert({
    ...{ subscription_id: key.subscriptionId, position: 0, type: 'dataset.deleted', data: {} },
  })
  await until(() => expect(receiver.received).toHaveLength(40))
  const tested = await requestTest(db, by)
  await until(() => expect(receiver.received).toHaveLength(41))
  expect(receiver.received[40]).toMatchObject({
    type: 'webhook.test',
    ...{ id: (tested as { eventId: string }).eventId },
  })
  const first = receiver.received.slice(0, 40)
  expect(await requestReplay(db, { ...by, since, until: new Date() })).toBe('requested')
  await until(() => expect(receiver.received.length).toBe(81))
  const again = receiver.received.slice(41, 81).map(({ id }) => id)
  expect(again.toSorted()).toEqual(first.map(({ id }) => id).toSorted())
  await until(async () => expect((await findWebhook(db, key))?.isReplaying).toBe(false))
})

test.each([
  ['disabled', { enabled: false }],
  ['given another URL', { url: 'http://127.0.0.1:9/elsewhere' }],
  ['given other types', { types: ['dataset.deleted' as const] }],
])(
  'an event that was recorded after a webhook was %s is not delivered as before, even if a worker was reading its events',
  async (_, change) => {
    const { key, by } = await openWebhook()
    const lease = { holder: crypto.randomUUID(), seconds: 60 }
    await leaseWebhooks(db, lease)
    await record(key.subscriptionId, 1)
    const owner = openDatabase({ url: stored.ownerUrl, poolMax: 1 })
    cleanups.push(() => owner.destroy())
    const trx = await owner.transaction()
    await trx.raw('lock table events in access exclusive mode')
    const reading = findWindow(db, key, lease.holder) // reads the webhook, then waits for the lock
    const waiting = () => db.raw("select from pg_locks where relation = 'events'::regclass and not granted")
    await until(async () => expect((await waiting()).rows).toHaveLength(1))
    await changeWebhook(db, { ...by, ...change })
    await trx.raw(
      `insert into events (subscription_id, position, type, data)
     values (?, pg_current_xact_id()::text::bigint, 'dataset.ready', '{"n":1}')`,
      [key.subscriptionId],
    )
    await trx.commit()
    expect((await reading)?.next).toEqual([])
  },
)

test('a suspended subscription receives nothing and waits for nothing; its events arrive once it is resumed', async () => {
  const [suspended, other] = [await openWebhook(), await openWebhook()]
  const suspend = (at: Date | null) =>
    db('subscriptions').where({ id: suspended.key.subscriptionId }).update({ suspended_at: at })
  start()
  await Promise.all([suspended, other].map(({ key }) => record(key.subscriptionId, 1)))
  await until(() => expect([suspended, other].map(({ receiver }) => numbers(receiver))).toEqual([[0], [0]]))

  await suspend(new Date())
  for (const { key } of [suspended, other]) await record(key.subscriptionId, 1, { from: 1 })
  await until(() => expect(numbers(other.receiver)).toEqual([0, 1]))
  await until(async () => expect(await measureWaiting(db)).toBe(0))
  await delay(200)
  expect(numbers(suspended.receiver)).toEqual([0])

  await suspend(null)
  await until(() => expect(numbers(suspended.receiver)).toEqual([0, 1]))
})

test('addresses outside of the Internet are refused, also by a name, unless a network is permitted', async () => {
  const inside = openSender({ ...openReach([]), allowsHttp: true })
  const permitted = openSender({ ...openReach(['127.0.0.0/8', '::1/128']), allowsHttp: true })
  const receiver = await openReceiver()
  cleanups.push(async () => receiver[Symbol.asyncDispose]())
  const message = ['{"webhook-id":"1"}', JSON.stringify({ type: 'a', data: {} })] as const
  const byName = receiver.url.replace('127.0.0.1', 'localhost')
  for (const url of [
    receiver.url,
    byName,
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
  ]) {
    const { status, text } = await inside.send(url, {}, message[1])
    expect({ url, status }).toEqual({ url, status: null })
    expect(text).toContain('is not an address of the Internet')
  }
  for (const url of ['http://example.com/', 'https://user:password@example.com/', 'ftp://example.com'])
    expect(await inside.send(url, {}, message[1])).toMatchObject({ text: 'The URL must begin with https://' })
  expect(receiver.received).toEqual([])
  expect((await permitted.send(receiver.url, {}, message[1])).status).toBe(204)
  expect((await permitted.send(byName, {}, message[1])).status).toBe(204)

  receiver.answer = (_message, response) => {
    response.writeHead(200)
    const more = () => {
      while (response.write('x'.repeat(16_384)));
      response.once('drain', more)
    }
    more()
  }
  const endless = await permitted.send(receiver.url, {}, message[1])
  expect(endless).toEqual({ status: 200, text: 'x'.repeat(200), retryAt: undefined })
  inside.close()
  permitted.close()
})

test('another worker takes over from one that ends, and no event is lost', async () => {
  const { receiver, key } = await openWebhook()
  const first = start()
  const second = start()
  receiver.answer = (_message, response) => setTimeout(() => response.writeHead(204).end(), 2)
  await record(key.subscriptionId, 300, { datasets: 30 })
  await until(() => expect(receiver.received.length).toBeGreaterThan(20))
  await first.stop()
  await until(() => expect(new Set(numbers(receiver)).size).toBe(300))
  await second.stop()
  expectOrder(receiver, 30)
})

test('attempts are repeated after 5 s to 12 h for three days, and no sooner than the receiver asks', () => {
  const now = new Date()
  const seconds = (failures: number, retryAt?: Date) =>
    Math.round((retryTime(failures, { now, retryAt, random: 0.5 }).getTime() - now.getTime()) / 1_000)
  expect([1, 2, 3, 9, 10, 20].map((failures) => seconds(failures))).toEqual([
    5, 30, 120, 28_800, 43_200, 43_200,
  ])
  expect(seconds(1, new Date(now.getTime() + 60_000))).toBe(60)
  expect(seconds(1, new Date(now.getTime() + 1e12))).toBe(86_400)
  expect(retryTime(1, { now, random: 0 }).getTime()).toBe(now.getTime() + 4_000)
})
