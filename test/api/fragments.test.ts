import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployFragment } from '../../db/scorecards/fragments.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { logIn, readInsight, upload } from '../support/client.ts'
import { BACKENDS, type Service, startService, type Tenant } from '../support/service.ts'

type Json = Record<string, unknown>

/** All values at the ends of a JSON value. */
function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value]
}

describe.each(BACKENDS)('with the queue on %s', (backend) => {
  let service: Service
  let tenant: Tenant
  let token: string

  beforeAll(async () => {
    service = await startService({ backend })
    tenant = await service.openTenant()
    token = await logIn(service.url, tenant)
  })
  afterAll(() => service.stop())

  async function send(capture: Json, additionalInfo?: Json): Promise<string> {
    const body = anUpload(capture, additionalInfo && { additionalInfo })
    expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
    return body.referenceNumber
  }

  async function fragmentsOf(referenceNumber: string, by = token): Promise<Json> {
    const { status, body } = await readInsight(service.url, by, referenceNumber)
    expect(status).toBe(200)
    return Object.fromEntries(body.fragments.map(({ code, value }: Json) => [code, value]))
  }

  test('permission has the whole catalogue with states, and further permissions of the capture', async () => {
    const permission = (name: string, declared: boolean, granted: boolean) => ({ name, declared, granted })
    const { permission: states } = await fragmentsOf(
      await send(
        aCapture({
          sdk: { modules: ['core', 'contact', 'sms', 'audio'] },
          device: { id: 'permissions', apiLevel: 30 },
          permissions: [
            permission('android.permission.READ_CONTACTS', true, true),
            permission('android.permission.READ_SMS', true, false),
            permission('android.permission.READ_CALL_LOG', false, false),
            permission('com.example.permission.OWN', true, true),
          ],
        }),
      ),
    )
    const byName = new Map((states as { permission: string; state: unknown }[]).map((s) => [s.permission, s]))
    expect(byName.size).toBeGreaterThan(40)
    for (const item of byName.values()) expect(Object.keys(item)).toEqual(['permission', 'state'])
    const stateOf = (name: string) => byName.get(name)?.state
    expect(stateOf('android.permission.READ_CONTACTS')).toBe('1')
    expect(stateOf('android.permission.READ_SMS')).toBe('0')
    expect(stateOf('android.permission.READ_CALL_LOG')).toBe('-1')
    expect(stateOf('android.permission.WRITE_CONTACTS'), 'not listed').toBe('-1')
    expect(stateOf('android.permission.READ_CALENDAR'), 'of a module that is not installed').toBeNull()
    expect(stateOf('android.permission.READ_MEDIA_AUDIO'), 'of a later Android').toBeNull()
    expect(stateOf('com.example.permission.OWN')).toBe('1')
  })

  test('permission of iOS has no state -1', async () => {
    const { permission } = await fragmentsOf(
      await send(aCapture({ platform: 'ios', sdk: null, device: { osVersion: '17.5' }, permissions: [] })),
    )
    expect(new Set((permission as Json[]).map(({ state }) => state))).toEqual(new Set(['0']))
  })

  test('device_info is an object of texts, null where the capture has no value', async () => {
    const device = { id: 'd-info', osVersion: '14', brand: 'samsung', model: 'SM-A546E' }
    expect((await fragmentsOf(await send(aCapture({ device })))).device_info).toEqual({
      deviceID: 'd-info',
      osVersion: '14',
      brand: 'samsung',
      model: 'SM-A546E',
    })
    expect((await fragmentsOf(await send(aCapture({ device: { model: 'X' } })))).device_info).toEqual({
      deviceID: null,
      osVersion: null,
      brand: null,
      model: 'X',
    })
  })

  test('N concurrent datasets of one device have the positions 1 to N, and all but the first are repeats', async () => {
    const references = await Promise.all(
      Array.from({ length: 40 }, () => send(aCapture({ device: { id: 'shared' } }))),
    )
    const velocities = await Promise.all(
      references.map(async (one) => (await fragmentsOf(one)).velocity as Json),
    )
    expect(
      velocities.map((velocity) => Number(velocity.associatedDatasetsCount)).toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
    for (const velocity of velocities)
      expect(velocity).toEqual({
        isRepeatableUpload: velocity.associatedDatasetsCount === '1' ? '0' : '1',
        associatedDatasetsCount: expect.any(String),
      })
  })

  test('a position does not change with later datasets, and other subscriptions do not count', async () => {
    const capture = aCapture({ device: { id: 'steady' } })
    const first = await send(capture)
    const before = await fragmentsOf(first)
    expect(before.velocity).toEqual({ isRepeatableUpload: '0', associatedDatasetsCount: '1' })
    const second = await send(capture)
    expect((await fragmentsOf(second)).velocity).toEqual({
      isRepeatableUpload: '1',
      associatedDatasetsCount: '2',
    })
    expect(await fragmentsOf(first)).toEqual(before)

    const other = await service.openTenant()
    const body = anUpload(capture)
    await upload(service.url, other.uploaderKey, body)
    expect((await fragmentsOf(body.referenceNumber, await logIn(service.url, other))).velocity).toEqual({
      isRepeatableUpload: '0',
      associatedDatasetsCount: '1',
    })
  })

  test.each([
    ['null', { device: { id: null } }],
    ['empty', { device: { id: '' } }],
    ['absent', { device: null }],
  ])('captures whose device id is %s have the count 1 and are no repeats', async (_, members) => {
    for (let n = 0; n < 2; n++)
      expect((await fragmentsOf(await send(aCapture(members)))).velocity).toEqual({
        isRepeatableUpload: '0',
        associatedDatasetsCount: '1',
      })
  })

  test('all values of the standard fragments are texts or null', async () => {
    const fragments = await fragmentsOf(await send(aCapture()))
    expect(Object.keys(fragments)).toEqual(['permission', 'device_info', 'velocity'])
    for (const leaf of leaves(fragments)) expect(leaf === null || typeof leaf === 'string').toBe(true)
  })

  test('a web capture has none of the standard fragments', async () => {
    expect(await fragmentsOf(await send(aCapture({ platform: 'web' })))).toEqual({})
  })

  test('codes are those of the subscription; velocity_windows is there once it is deployed', async () => {
    const own = await service.openTenant()
    const by = await logIn(service.url, own)
    await service.db('fragments').where({ subscription_id: own.subscriptionId }).del()
    await deployFragment(service.db, own.subscriptionId, 'Velocity_V2', 'velocity')
    await deployFragment(service.db, own.subscriptionId, 'windows', 'velocity_windows')
    const read = async (capture: Json, additionalInfo: Json) => {
      const body = anUpload(capture, { additionalInfo })
      await upload(service.url, own.uploaderKey, body)
      return fragmentsOf(body.referenceNumber, by)
    }
    const counts = (count: string) =>
      Object.fromEntries(['10m', '1h', '24h', '7d', '30d'].map((window) => [`last${window}`, count]))

    await read(aCapture({ device: { id: 'w1' } }), { clientId: 'A' })
    expect(await read(aCapture({ device: { id: 'w1' } }), { clientId: 'B' })).toEqual({
      Velocity_V2: { isRepeatableUpload: '1', associatedDatasetsCount: '2' },
      windows: {
        device: { datasets: '2', clients: '2', ...counts('2') },
        client: { datasets: '1', devices: '1', ...counts('1') },
      },
    })
    expect(await read(aCapture({ platform: 'web', device: { id: 'w2' } }), { clientId: 'B' })).toEqual({
      windows: {
        device: { datasets: '1', clients: '1', ...counts('1') },
        client: { datasets: '2', devices: '2', ...counts('2') },
      },
    })
  })
})
