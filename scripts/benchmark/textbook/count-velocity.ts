import { VELOCITY_WINDOWS, type Velocity, type WindowCounts } from '../../../db/capture/velocity-counts.ts'
import type { Db } from '../../../db/postgres/database.ts'

/** Counts one dataset for its device and its client, one query at a time; the rows stay locked until the commit. */
export async function countVelocity(
  trx: Db,
  dataset: {
    readonly subscriptionId: number
    readonly deviceId: string | undefined
    readonly clientId: string | undefined
    readonly uploadedAt: Date
  },
): Promise<Velocity> {
  const { subscriptionId, deviceId, clientId, uploadedAt } = dataset
  const deviceRow = { subscription_id: subscriptionId, device_id: deviceId ?? '' }
  const clientRow = { subscription_id: subscriptionId, client_id: clientId ?? '' }
  const device = deviceId ? await countDataset(trx, 'textbook.devices', deviceRow) : undefined
  const client = clientId ? await countDataset(trx, 'textbook.clients', clientRow) : undefined

  if (device && client) {
    const [fresh] = await trx('textbook.client_devices')
      .insert({ ...deviceRow, ...clientRow })
      .onConflict()
      .ignore()
      .returning('subscription_id')
    if (fresh) {
      await trx('textbook.devices').where(deviceRow).increment('clients', 1)
      await trx('textbook.clients').where(clientRow).increment('devices', 1)
      device.others++
      client.others++
    }
  }
  const windowsOf = (kind: 'device' | 'client', identifier: string) =>
    countWindows(trx, { subscription_id: subscriptionId, kind, identifier }, uploadedAt)
  return {
    device: device
      ? {
          datasets: device.datasets,
          clients: client ? device.others : null,
          windows: await windowsOf('device', deviceRow.device_id),
        }
      : null,
    client: client
      ? {
          id: clientRow.client_id,
          datasets: client.datasets,
          devices: client.others,
          windows: await windowsOf('client', clientRow.client_id),
        }
      : null,
  }
}

async function countDataset(
  trx: Db,
  table: 'textbook.devices' | 'textbook.clients',
  row: Record<string, number | string>,
): Promise<{ datasets: number; others: number }> {
  const others = table === 'textbook.devices' ? 'clients' : 'devices'
  const [counted] = await trx(table)
    .insert({ ...row, datasets: 1 })
    .onConflict(Object.keys(row))
    .merge({ datasets: trx.raw('??.datasets + 1', [table]) })
    .returning(['datasets', `${others} as others`])
  return counted
}

async function countWindows(
  trx: Db,
  sighting: { subscription_id: number; kind: 'device' | 'client'; identifier: string },
  uploadedAt: Date,
): Promise<WindowCounts> {
  await trx('textbook.sightings').insert({ ...sighting, at: uploadedAt })
  const counts = Object.entries(VELOCITY_WINDOWS).map(([name, seconds]) =>
    trx.raw('(count(*) filter (where at > ?::timestamptz - make_interval(secs => ?)))::integer as ??', [
      uploadedAt,
      seconds,
      name,
    ]),
  )
  const longest = new Date(uploadedAt.getTime() - VELOCITY_WINDOWS['30d'] * 1_000)
  return trx('textbook.sightings').where(sighting).where('at', '>', longest).first(counts)
}
