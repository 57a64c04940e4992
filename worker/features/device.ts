import type { CaptureInput, Extracted } from './extractor.ts'
import { parseCategory, parseMajorVersion } from './parse-text.ts'
import { elapsed, HOUR_MS, inUnits, parseTimestamp } from './timestamps.ts'

/** Properties that the device reports. A screen without width or height counts as missing. */
export function extractDevice({
  capture,
}: CaptureInput): Extracted<
  | 'device_brand'
  | 'device_os_major'
  | 'device_screen_megapixels'
  | 'device_battery_level'
  | 'device_charging'
  | 'device_uptime_hours'
  | 'device_emulator'
  | 'device_rooted'
  | 'device_developer_mode'
> {
  const { device, web } = capture
  const screen = device?.screen ?? web?.screen
  const pixels = screen ? screen.widthPx * screen.heightPx : 0
  const uptimeMs = elapsed(parseTimestamp(device?.bootedAt), parseTimestamp(capture.collectedAt))

  return {
    device_brand: parseCategory(device?.brand),
    device_os_major: parseMajorVersion(device?.osVersion),
    device_screen_megapixels: pixels > 0 ? pixels / 1e6 : undefined,
    device_battery_level: device?.battery?.level ?? undefined,
    device_charging: device?.battery?.charging ?? undefined,
    device_uptime_hours: inUnits(HOUR_MS, uptimeMs),
    device_emulator: device?.emulator ?? undefined,
    device_rooted: device?.rooted ?? undefined,
    device_developer_mode: device?.developerMode ?? undefined,
  }
}
