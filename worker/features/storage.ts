import type { CaptureInput, Extracted } from './extractor.ts'
import { share } from './statistics.ts'

/** Memory and storage. A total of 0 bytes counts as missing. */
export function extractStorage({
  capture: { device },
}: CaptureInput): Extracted<
  'device_ram_total_gb' | 'device_ram_free_share' | 'device_storage_total_gb' | 'device_storage_free_share'
> {
  return {
    device_ram_total_gb: gigabytes(device?.ramTotalBytes),
    device_ram_free_share: share(device?.ramFreeBytes, device?.ramTotalBytes),
    device_storage_total_gb: gigabytes(device?.storageTotalBytes),
    device_storage_free_share: share(device?.storageFreeBytes, device?.storageTotalBytes),
  }
}

/** Decimal gigabytes (10⁹ bytes), as devices are marketed. */
function gigabytes(bytes: number | null | undefined): number | undefined {
  return bytes ? bytes / 1e9 : undefined
}
