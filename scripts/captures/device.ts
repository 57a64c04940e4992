import type { Platform } from '../../db/capture/capture.ts'
import { type AndroidPhone, drawAndroidPhone } from './android-device.ts'
import { type Browser, drawBrowser } from './browser.ts'
import { clamp } from './clamp.ts'
import { drawIphone, type Iphone } from './iphone.ts'
import type { Person } from './person.ts'
import type { Random } from './random.ts'

/** Properties of a device that stay the same between captures. */
interface DeviceTraits {
  readonly id: string
  readonly owner: Person
  /** A source that is the same for every capture: fork it, do not draw from it. */
  readonly random: Random
  readonly acquiredAt: number
  /** Average time between restarts. */
  readonly bootEveryMs: number
  /** Used share of the user's storage, 0 to 1. */
  readonly fill: number
  readonly rooted: boolean
  readonly developerMode: boolean
  readonly vpn: boolean
  readonly simCount: number
  /** Whether it is used to apply under many names. */
  readonly farmed: boolean
  /** Days until updates of apps arrive. */
  readonly updateLagDays: number
}

export type Device = DeviceTraits &
  (
    | { readonly platform: 'android'; readonly phone: AndroidPhone }
    | { readonly platform: 'ios'; readonly phone: Iphone }
    | { readonly platform: 'web'; readonly browser: Browser }
  )

const DAY_MS = 86_400_000
const FARMED_SHARE = 0.02

/** Draws a plausible device of this platform for the person. */
export function drawDevice(random: Random, platform: Platform, owner: Person, at: Date): Device {
  const farmed = random.chance(FARMED_SHARE)
  const id = random.uuid()
  const traits: DeviceTraits = {
    id: platform === 'ios' ? id.toUpperCase() : id,
    owner,
    random: random.fork('device'),
    acquiredAt: at.getTime() - 20 * DAY_MS,
    bootEveryMs: random.logNormal(6, 0.9) * DAY_MS,
    fill: clamp(random.normal(0.62, 0.2), 0.08, 0.985),
    rooted: random.chance(farmed ? 0.4 : 0.006),
    developerMode: random.chance(farmed ? 0.6 : 0.02 + 0.02 * clamp(owner.savvy, 0, 2)),
    vpn: random.chance(farmed ? 0.5 : 0.04),
    simCount: random.weighted(
      [0, 1, 2],
      (count) => [0.03, owner.affluence > 0.5 ? 0.7 : 0.4, 0.5][count] ?? 0,
    ),
    farmed,
    updateLagDays: random.logNormal(1.2, 0.9),
  }
  if (platform === 'web') {
    const mobile = random.chance(0.45)
    return { ...traits, platform, browser: drawBrowser(random, listLanguages(owner), mobile) }
  }
  if (platform === 'ios') {
    const phone = drawIphone(random, owner, at)
    return { ...traits, platform, phone, acquiredAt: drawAcquisition(random, phone.model.launched, at) }
  }
  const emulator = farmed && random.chance(0.3)
  const phone = drawAndroidPhone(random, owner, at, emulator)
  return { ...traits, platform, phone, acquiredAt: drawAcquisition(random, phone.model.launched, at) }
}

/** Phones are bought after their launch and used for a year or two. */
function drawAcquisition(random: Random, launched: string, at: Date): number {
  const launchedAt = Date.parse(`${launched}-15`)
  const usedMs = random.logNormal(480, 0.7) * DAY_MS
  return Math.round(clamp(at.getTime() - usedMs, launchedAt, at.getTime() - 20 * DAY_MS))
}

/** Returns the preferred languages of this person's browser: their own, often followed by English. */
function listLanguages({ home: { locale } }: Person): readonly string[] {
  const [language = 'en'] = locale.split('-')
  return language === 'en' ? [locale] : [locale, language, 'en-US']
}

/** Returns the last restart before this time; the same for captures without a restart in between. */
export function findBoot(device: Device, at: number): number {
  const phase = device.random.fork('boot').float() * device.bootEveryMs
  const bootedAt = Math.floor((at - 60_000 - phase) / device.bootEveryMs) * device.bootEveryMs + phase
  return Math.round(Math.max(bootedAt, device.acquiredAt))
}
