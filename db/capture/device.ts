import { z } from 'zod'
import { bytes, count, optional, text, timestamp } from './scalars.ts'

export const Screen = z.object({
  widthPx: count.describe('Width in physical pixels, in the orientation of the capture'),
  heightPx: count.describe('Height in physical pixels, in the orientation of the capture'),
  density: optional(
    z.number().min(0).max(100),
    'Physical pixels per logical pixel, 0 to 100. Android: DisplayMetrics.density; iOS: UIScreen.scale; web: devicePixelRatio',
  ),
  orientation: optional(
    z.number().min(-360).max(360),
    'Rotation from the natural orientation in degrees, -360 to 360. Web: screen.orientation.angle',
  ),
})

const Battery = z.object({
  level: optional(z.number().min(0).max(1), 'Charge as a share, 0 (empty) to 1 (full)'),
  charging: optional(z.boolean(), 'Whether it is charging, or full on external power'),
})

const Network = z.object({
  kind: optional(text, 'Kind of the default network: wifi, cellular, ethernet, none or another kind'),
  vpn: optional(z.boolean(), 'Whether traffic goes through a VPN'),
  simCount: optional(count.max(16), 'SIM cards in use, eSIM included, 0 to 16'),
})

export const Device = z.object({
  id: optional(
    text,
    'Identifier of the device, chosen by the SDK and stable across captures; velocity counts datasets by it. At most 1,000 characters',
  ),
  brand: optional(text, 'Brand. Android: Build.BRAND; Apple devices: Apple. At most 1,000 characters'),
  model: optional(
    text,
    'Model. Android: Build.MODEL; iOS: the hardware identifier, such as iPhone15,4; web: the kind of machine or its system',
  ),
  osVersion: optional(
    text,
    'Version of the operating system, such as 14 or 18.1. Android: Build.VERSION.RELEASE; iOS: UIDevice.systemVersion',
  ),
  apiLevel: optional(
    count.max(10_000),
    'Android API level, Build.VERSION.SDK_INT, 0 to 10,000; Android only',
  ),
  screen: optional(Screen, 'The main display of the device'),
  ramTotalBytes: optional(
    bytes,
    'Memory in bytes. Android: ActivityManager.MemoryInfo.totalMem; iOS: ProcessInfo.physicalMemory',
  ),
  ramFreeBytes: optional(
    bytes,
    'Memory available to applications in bytes. Android: ActivityManager.MemoryInfo.availMem; Android only',
  ),
  storageTotalBytes: optional(
    bytes,
    "Capacity of the user's storage in bytes. Android: StatFs of the data directory; iOS: volumeTotalCapacity",
  ),
  storageFreeBytes: optional(
    bytes,
    "Free space of the user's storage in bytes. Android: StatFs of the data directory; iOS: volumeAvailableCapacity",
  ),
  battery: optional(Battery, 'Battery at the time of the capture. Android: BatteryManager; iOS: UIDevice'),
  locale: optional(text, 'Locale of the user, a BCP 47 language tag such as en-PH'),
  timeZone: optional(text, 'Time zone of the device, an IANA name such as Asia/Manila'),
  bootedAt: optional(timestamp, 'When the device was started, ISO 8601 with zone'),
  emulator: optional(z.boolean(), 'Whether the device is an emulator or a simulator'),
  rooted: optional(z.boolean(), 'Whether the device is rooted (Android) or jailbroken (iOS)'),
  developerMode: optional(
    z.boolean(),
    'Whether developer options are on. Android: Settings.Global.DEVELOPMENT_SETTINGS_ENABLED; Android only',
  ),
  network: optional(Network, 'Connectivity at the time of the capture'),
})
