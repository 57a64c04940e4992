import type { ClaimInput, Extracted } from './extractor.ts'

/** Counts as of the processing of the dataset. */
export function extractVelocity({
  velocity,
}: ClaimInput): Extracted<
  | 'velocity_device_datasets'
  | 'velocity_device_10m'
  | 'velocity_device_1h'
  | 'velocity_device_24h'
  | 'velocity_device_7d'
  | 'velocity_device_30d'
  | 'velocity_device_clients'
  | 'velocity_client_datasets'
  | 'velocity_client_devices'
  | 'velocity_client_10m'
  | 'velocity_client_1h'
  | 'velocity_client_24h'
  | 'velocity_client_7d'
  | 'velocity_client_30d'
> {
  const device = velocity?.device
  const client = velocity?.client
  return {
    velocity_device_datasets: device?.datasets,
    velocity_device_10m: device?.windows['10m'],
    velocity_device_1h: device?.windows['1h'],
    velocity_device_24h: device?.windows['24h'],
    velocity_device_7d: device?.windows['7d'],
    velocity_device_30d: device?.windows['30d'],
    velocity_device_clients: device?.clients ?? undefined,
    velocity_client_datasets: client?.datasets,
    velocity_client_devices: client?.devices,
    velocity_client_10m: client?.windows['10m'],
    velocity_client_1h: client?.windows['1h'],
    velocity_client_24h: client?.windows['24h'],
    velocity_client_7d: client?.windows['7d'],
    velocity_client_30d: client?.windows['30d'],
  }
}
