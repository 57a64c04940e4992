import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployFragment } from '../../db/scorecards/fragments.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { assignInfo, logIn, readByCode, readInsight, upload } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { BACKENDS, type Service, startService, type Tenant } from '../support/service.ts'

describe.each(BACKENDS)('the insight, with the queue on %s', (backend) => {
  let service: Service
  let tenant: Tenant
  let token: string

  beforeAll(async () => {
    service = await startService({ backend })
    tenant = await service.openTenant()
    await deployFragment(service.db, tenant.subscriptionId, 'windows', 'velocity_windows')
    token = await logIn(service.url, tenant)
  })
  afterAll(() => service.stop())

  const fragment = async (referenceNumber: string, wanted: string) => {
    const { body } = await readInsight(service.url, token, referenceNumber)
    return body.fragments.find(({ code }: { code: string }) => code === wanted).value
  }

  async function aDataset(deviceId: string, additionalInfo?: Record<string, string>): Promise<string> {
    const body = anUpload(aCapture({ device: { id: deviceId } }), additionalInfo && { additionalInfo })
    expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
    expect((await readInsight(service.url, token, body.referenceNumber)).status).toBe(200)
    return body.referenceNumber
  }

  const assign = async (referenceNumber: string, additionalInfo: Record<string, string>) =>
    expect(
      (await assignInfo(service.url, tenant.uploaderKey, { referenceNumber, additionalInfo })).status,
    ).toBe(200)

  const all = (count: string) => ({
    last10m: count,
    last1h: count,
    last24h: count,
    last7d: count,
    last30d: count,
  })

  test('reflects new Additional Info soon: the client is counted, the position on the device stays', async () => {
    const [first, second] = [await aDataset('phone-1'), await aDataset('phone-2')]
    const later = await aDataset('phone-1')
    expect((await fragment(first, 'windows')).client).toBeNull()

    await assign(first, { clientId: 'C-1' })
    await eventually(async () =>
      expect((await fragment(first, 'windows')).client).toEqual({ datasets: '1', devices: '1', ...all('1') }),
    )
    await assign(second, { clientId: 'C-1' })
    await eventually(async () =>
      expect((await fragment(second, 'windows')).client).toEqual({
        datasets: '2',
        devices: '2',
        ...all('2'),
      }),
    )
    await assign(later, { clientId: 'C-2' })
    await eventually(async () =>
      expect(await fragment(later, 'windows')).toEqual({
        device: { datasets: '2', clients: '2', ...all('2') },
        client: { datasets: '1', devices: '1', ...all('1') },
      }),
    )
    expect(await fragment(first, 'velocity')).toEqual({
      isRepeatableUpload: '0',
      associatedDatasetsCount: '1',
    })
  })

  test('is not recalculated without new Additional Info', async () => {
    const reference = await aDataset('phone-3', { clientId: 'C-3' })
    const before = await readByCode(service.url, tenant.requesterKey, reference)
    await assign(reference, { clientId: 'C-3' })
    const { ring_at } = await service.db('datasets').where({ reference_number: reference }).first()
    expect(ring_at).toBeNull()
    await assign(await aDataset('phone-4'), { clientId: 'C-3' }) // what is behind it in the queue is done
    const after = await readByCode(service.url, tenant.requesterKey, reference)
    expect(after.body.insights).toEqual(before.body.insights)
  })

  test('reflects Additional Info saved while its dataset waited or was processed', async () => {
    const bodies = Array.from({ length: 20 }, (_, n) => anUpload(aCapture({ device: { id: `busy-${n}` } })))
    await Promise.all(
      bodies.map(async (body, n) => {
        await upload(service.url, tenant.uploaderKey, body)
        await assign(body.referenceNumber, { clientId: `busy-client-${n}` })
      }),
    )
    for (const { referenceNumber } of bodies)
      await eventually(async () =>
        expect((await fragment(referenceNumber, 'windows')).client).toMatchObject({
          datasets: '1',
          devices: '1',
        }),
      )
  })

  test('has the Additional Info of an upload and of its retry', async () => {
    const body = anUpload(aCapture({ device: { id: 'phone-5' } }))
    await upload(service.url, tenant.uploaderKey, body)
    expect((await readInsight(service.url, token, body.referenceNumber)).status).toBe(200)
    await upload(service.url, tenant.uploaderKey, { ...body, additionalInfo: { clientId: 'C-5' } })
    await eventually(async () =>
      expect((await fragment(body.referenceNumber, 'windows')).client).toMatchObject({ datasets: '1' }),
    )
    expect(await fragment(await aDataset('phone-5', { clientId: 'C-5' }), 'windows')).toMatchObject({
      device: { datasets: '2', clients: '1' },
      client: { datasets: '2', devices: '1' },
    })
  })
})
