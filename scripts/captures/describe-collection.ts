import type { Capture } from '../../db/capture/capture.ts'
import type { Device } from './device.ts'
import type { Random } from './random.ts'

/** A browser sends a segment at least this often. */
const SEGMENT_MS = 5_000

/** Share of the levels among collections. */
const LEVELS = { verified: 6, claimed: 3, open: 1 } as const

interface SessionEnd {
  readonly origin: string
  readonly abandoned: boolean
  readonly activeMs: number
}

/**
 * Generates `collection`: nearly all are complete, and the request says what the script says. Programs that drive a farmed
 * browser often change only one of them.
 */
export function describeCollection(
  random: Random,
  { browser, farmed, random: traits }: Extract<Device, { platform: 'web' }>,
  { origin, abandoned, activeMs }: SessionEnd,
): NonNullable<Capture['collection']> {
  const spoofed = farmed && traits.fork('spoofed').chance(0.4)
  return {
    level: random.weighted(Object.keys(LEVELS) as (keyof typeof LEVELS)[], (level) => LEVELS[level]),
    origin,
    segments: Math.ceil(activeMs / SEGMENT_MS) + 1,
    missing: random.chance(0.01) ? 1 : 0,
    ended: abandoned ? 'abandoned' : 'complete',
    request: {
      userAgent: spoofed ? browser.userAgent.replace(/Windows NT 10.0|Macintosh/, 'X11') : browser.userAgent,
      languages: spoofed ? ['en-US', 'en'] : [...browser.languages],
      ...(browser.hints && {
        clientHints: {
          brands: [...browser.hints.brands],
          mobile: browser.hints.mobile,
          platform: spoofed ? 'Linux' : browser.hints.platform,
        },
      }),
    },
  }
}
