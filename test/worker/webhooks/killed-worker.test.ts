import { expect, test, vi } from 'vitest'
import { PLAIN_VAULT } from '../../../db/encryption/vault.ts'
import { createWebhook } from '../../../db/events/webhooks.ts'
import { anActor } from '../../support/actors.ts'
import { openReceiver } from '../../support/receiver.ts'
import { startTestStack } from '../../support/test-stack.ts'

const EVENTS = 600
const DATASETS = 40

test('each event arrives, in order within its dataset, although the worker that delivers is killed', async () => {
  await using stack = await startTestStack()
  await using receiver = await openReceiver()
  receiver.answer = (_message, response) => setTimeout(() => response.writeHead(204).end(), 10)
  const { subscriptionId } = stack.tenant
  await createWebhook(
    { db: stack.db, vault: PLAIN_VAULT },
    { subscriptionId, actor: anActor('admin'), url: receiver.url, label: 'backend', types: [] },
  )
  const first = await stack.startWorker()
  await stack.db.raw(
    `insert into events (subscription_id, position, dataset_id, type, data)
     select ?::int, pg_current_xact_id()::text::bigint, n % ?::int, 'dataset.ready', jsonb_build_object('n', n)
     from generate_series(1, ?::int) n`,
    [subscriptionId, DATASETS, EVENTS],
  )
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(EVENTS / 4), {
    timeout: 30_000,
    interval: 5,
  })
  await first.end('SIGKILL')
  expect(receiver.received.length).toBeLessThan(EVENTS)
  await stack.db('webhooks').update({ leased_until: new Date() }) // instead of 10 s later
  await stack.startWorker()
  const numbers = () => [...new Set(receiver.received.map(({ data }) => data.n as number))]
  await vi.waitFor(() => expect(numbers()).toHaveLength(EVENTS), { timeout: 30_000, interval: 20 })
  const last = new Map<number, number>()
  for (const n of numbers()) {
    expect(last.get(n % DATASETS) ?? 0).toBeLessThan(n)
    last.set(n % DATASETS, n)
  }
}, 90_000)
