import type { Capture } from '../../db/capture/capture.ts'

/** Value of the Device_info fragment; null for members that the capture does not have. */
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
