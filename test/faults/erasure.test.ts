import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findPrivacyRequest, requestErasure } from '../../db/privacy/privacy-requests.ts'
import { anActor } from '../support/actors.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { recordResult } from '../support/faults/record-result.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

let stack: TestStack

beforeAll(async () => {
  stack = await startTestStack()
}, 60_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await killProcesses()
})

test('a worker that is killed in the middle of an erasure leaves it to the next one', {
  timeout: 90_000,
}, async () => {
  const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
  const { subscriptionId, uploaderKey } = stack.tenant
  const send = async (clientId: string, n: number) => {
    const body = anUpload(aCapture({ device: { id: `phone ${n % 3}` } }), { additionalInfo: { clientId } })
    expect((await upload(web.url, uploaderKey, body)).status).toBe(200)
  }
  await Promise.all(Array.from({ length: 60 }, (_, n) => send('erased', n)))
  await Promise.all(Array.from({ length: 6 }, (_, n) => send('other', n)))
  await stack.untilProcessed(20_000)
  const others = () =>
    stack
      .db('datasets')
      .whereRaw("additional_info ->> 'clientId' = 'other'")
      .orderBy('id')
      .select('id', 'status', 'velocity', 'reference_number')
  const before = await others()
  const places = () =>
    stack
      .db('devices')
      .where({ subscription_id: subscriptionId })
      .orderBy('device_key')
      .select('datasets', 'clients')
  const counted = await places()
  const owned = await stack
    .db('datasets')
    .whereRaw("additional_info ->> 'clientId' = 'erased'")
    .orderBy('id')
    .pluck('id')

  const person = { kind: 'client', id: 'erased' } as const
  const find = (id: string) => findPrivacyRequest(stack.db, subscriptionId, id)
  // the second step waits for the lock of the 55th dataset, and its worker is killed
  const request = await stack.db.transaction(async (trx) => {
    await trx.raw('select from datasets where id = ? for update', [owned[54]])
    const requested = await requestErasure(stack.db, { subscriptionId, person, actor: anActor('ann') })
    await vi.waitFor(async () => expect((await find(requested.id))?.datasets).toBe(50), { timeout: 20_000 })
    await vi.waitFor(
      async () => {
        const { rows } = await trx.raw(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
        expect(rows.length).toBeGreaterThan(0)
      },
      { timeout: 10_000 },
    )
    await worker.end('SIGKILL')
    return requested
  })
  expect(await find(request.id)).toMatchObject({ state: 'running', datasets: 50 })

  await stack.startWorker()
  await vi.waitFor(async () => expect((await find(request.id))?.state).toBe('finished'), { timeout: 30_000 })
  expect(await find(request.id)).toMatchObject({ datasets: 60, total: 60 })
  expect(await stack.db('datasets').whereIn('id', owned).distinct().pluck('status')).toEqual(['deleted'])
  expect(await others()).toEqual(before)
  expect(await places()).toEqual(counted.map(({ datasets, clients }) => ({ datasets, clients: clients - 1 })))
  expect(await stack.db('clients').where({ subscription_id: subscriptionId }).pluck('datasets')).toEqual([6])
  recordResult({ fault: 'worker killed in the middle of an erasure', uploads: 66, kills: 1, lost: 0 })
})
