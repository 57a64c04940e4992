import type { Capture } from '../../db/capture/capture.ts'

/** What the Device_info fragment holds; null where the capture does not tell. */
export interface DeviceInfo {
  readonly deviceID: string | null
  readonly osVersion: string | null
  readonly brand: string | null
  readonly model: string | null
}

/** @see the interface document, "Standard fragments", Device_info */
export function presentDeviceInfo({ device }: Capture): DeviceInfo {
  return {
    deviceID: device?.id ?? null,
    osVersion: device?.osVersion ?? null,
    brand: device?.brand ?? null,
    model: device?.model ?? null,
  }
}
