import type { Platform } from '../../db/capture/capture.ts'
import type { Random } from './random.ts'

export type CaptureSize = 'small' | 'typical' | 'large'

/** The extent of a capture. */
export interface SizePlan {
  readonly size: CaptureSize
  /** Only the SDK's core: no apps, no personal data, a short recording. */
  readonly lean: boolean
  /** Lists all system packages, not only those visible to users. */
  readonly wholeSystem: boolean
  /** Sampling interval of motion sensor summaries and pointer positions. */
  readonly sensorEveryMs: number
  readonly pointerEveryMs: number
  /** Target number of base64 characters. */
  readonly targetChars: number
}

/**
 * Characters of base64 aimed at. Compression varies by some per cent, so the bands wanted (small about 3
 * KB, typical 15 to 25 KB, large 150 to 300 KB) are aimed at with a margin.
 */
const AIMED: Record<CaptureSize, readonly [min: number, max: number]> = {
  small: [2_600, 3_600],
  typical: [16_500, 23_500],
  large: [165_000, 280_000],
}

export function planSize(random: Random, size: CaptureSize): SizePlan {
  return {
    size,
    lean: size === 'small',
    wholeSystem: size === 'large',
    sensorEveryMs: size === 'large' ? 600 : 5_000,
    pointerEveryMs: size === 'large' ? 16 : 50,
    targetChars: random.int(...AIMED[size]),
  }
}

type Chars = readonly [base: number, perApp: number, perEvent: number]

/**
 * Measured characters of base64: without apps and events, per app, per event. The more there is, the better
 * it compresses.
 */
const CHARS: Record<CaptureSize, Record<Platform, Chars>> = {
  small: { android: [960, 0, 18.9], ios: [680, 0, 18.5], web: [1180, 0, 16.2] },
  typical: { android: [1620, 35, 16], ios: [940, 0, 15.6], web: [1920, 0, 13.8] },
  large: { android: [1620, 25, 12.4], ios: [940, 0, 12.4], web: [1920, 0, 12.3] },
}

/** Returns the number of events for a capture of the planned size. */
export function countEvents(plan: SizePlan, platform: Platform, apps = 0): number {
  const [base, perApp, perEvent] = CHARS[plan.size][platform]
  return Math.max(24, Math.round((plan.targetChars - base - perApp * apps) / perEvent))
}
