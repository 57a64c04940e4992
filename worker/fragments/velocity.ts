import {
  VELOCITY_WINDOWS,
  type Velocity,
  type VelocityWindow,
  type WindowCounts,
} from '../../db/capture/velocity-counts.ts'

/**
 * Presents the Velocity fragment: numbers as strings.
 *
 * A capture without a device id counts as the first of its device.
 *
 * @see the interface document, "Standard fragments", Velocity
 */
export function presentVelocity({ device }: Velocity): {
  isRepeatableUpload: string
  associatedDatasetsCount: string
} {
  const datasets = device?.datasets ?? 1
  return { isRepeatableUpload: datasets > 1 ? '1' : '0', associatedDatasetsCount: String(datasets) }
}

type Texts = Readonly<Record<string, string | null>>

/**
 * Presents the velocity_windows fragment: counts by device and by client as strings, with windows `last10m`, `last1h`,
 * `last24h`, `last7d`, `last30d`. `device` is null without a device id, `client` until a clientId is saved.
 */
export function presentVelocityWindows({ device, client }: Velocity): {
  device: Texts | null
  client: Texts | null
} {
  return {
    device: device && {
      datasets: String(device.datasets),
      clients: device.clients === null ? null : String(device.clients),
      ...presentWindows(device.windows),
    },
    client: client && {
      datasets: String(client.datasets),
      devices: String(client.devices),
      ...presentWindows(client.windows),
    },
  }
}

const presentWindows = (windows: WindowCounts): Texts =>
  Object.fromEntries(
    (Object.keys(VELOCITY_WINDOWS) as VelocityWindow[]).map((name) => [`last${name}`, String(windows[name])]),
  )
