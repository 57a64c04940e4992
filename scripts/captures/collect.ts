import type { Capture } from '../../db/capture/capture.ts'
import { clamp } from './clamp.ts'
import type { Device } from './device.ts'
import { findBoot } from './device.ts'
import type { Person } from './person.ts'
import type { Random } from './random.ts'
import type { SizePlan } from './size.ts'

/** The inputs of one capture. */
export interface Occasion<D extends Device = Device> {
  readonly random: Random
  readonly device: D
  readonly person: Person
  readonly plan: SizePlan
  /** Whether the app obeys the rules of Google Play for personal loans, and Apple's for APIs that need a reason. */
  readonly stores: boolean
  /** Returns the end of a session of this length. */
  readonly endSession: (durationMs: number) => number
}

type DeviceSection = NonNullable<Capture['device']>

/** Generates the members of `device` that change between captures, for phones of both platforms. */
export function observeState(
  { random, device }: Occasion,
  at: number,
  utcOffsetHours: number,
): Pick<DeviceSection, 'battery' | 'network'> & { bootedAt: string } {
  const localHour = (at / 3_600_000 + utcOffsetHours + 24) % 24
  // full in the morning, low in the evening
  const level = clamp(random.normal(0.95 - 0.035 * ((localHour + 18) % 24), 0.2), 0.03, 1)
  const atWork = localHour > 8 && localHour < 18
  const kind = random.chance(atWork ? 0.5 : 0.34) ? 'cellular' : 'wifi'
  return {
    battery: { level: Math.round(level * 100) / 100, charging: random.chance(level < 0.3 ? 0.35 : 0.18) },
    bootedAt: new Date(findBoot(device, at)).toISOString(),
    network: { kind: device.simCount === 0 ? 'wifi' : kind, vpn: device.vpn, simCount: device.simCount },
  }
}

/** Returns the total and free bytes of the user's storage; the free part drifts slightly between captures. */
export function observeStorage(
  { random, device }: Occasion,
  totalBytes: number,
): Pick<DeviceSection, 'storageTotalBytes' | 'storageFreeBytes'> {
  const fill = clamp(device.fill + random.normal(0, 0.01), 0.02, 0.995)
  return {
    storageTotalBytes: totalBytes,
    storageFreeBytes: Math.round((totalBytes * (1 - fill)) / 4096) * 4096,
  }
}
