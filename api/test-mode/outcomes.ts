import { gzipSync } from 'node:zlib'
import type { Platform } from '../../db/capture/capture.ts'
import { type MadeCapture, makeCapture, type Random } from './make-capture.ts'

/** Outcomes that a made-up capture can be asked for. Published: never renamed. */
export const OUTCOMES = ['ready', 'invalid', 'slow', 'no_score', 'ring'] as const

export type Outcome = (typeof OUTCOMES)[number]

/** A made-up upload: its data and Additional Info. */
export interface MadeUpload {
  /** As `data` of an upload, base64-decoded. */
  readonly blob: Buffer
  readonly additionalInfo: Readonly<Record<string, string>>
}

const pack = (capture: MadeCapture): Buffer => gzipSync(JSON.stringify(capture))

/** Generates `count` uploads of a platform that have the outcome. @param now in milliseconds since 1970. */
export function makeUploads(
  { platform, outcome, count }: { platform: Platform; outcome: Outcome; count: number },
  now: number,
  random: Random = Math.random,
): MadeUpload[] {
  const { device } = makeCapture(platform, now, random)
  return Array.from({ length: count }, () => {
    const capture = makeCapture(platform, now, random)
    switch (outcome) {
      case 'invalid':
        return { blob: spoil(capture, random), additionalInfo: {} }
      case 'no_score':
        return { blob: pack(withoutTimeZone(capture)), additionalInfo: {} }
      case 'ring':
        return {
          blob: pack({ ...capture, device }),
          additionalInfo: { clientId: `test-${Math.floor(random() * 1e12)}` },
        }
      default:
        return { blob: pack(capture), additionalInfo: {} }
    }
  })
}

/** The scorecard `test_mode` requires the time zone. */
function withoutTimeZone(capture: MadeCapture): MadeCapture {
  const { timeZone: _, ...device } = capture.device
  return { ...capture, device }
}

/** Returns data that cannot be decoded, for one of the reasons that occur: cut off, of another format, no JSON, not compressed. */
function spoil(capture: MadeCapture, random: Random): Buffer {
  const ways = [
    () => pack(capture).subarray(0, -20),
    () => pack({ ...capture, format: 'capture/99' }),
    () => gzipSync(JSON.stringify(capture).slice(0, -1)),
    () => Buffer.from(JSON.stringify(capture)),
  ]
  return ways[Math.floor(random() * ways.length)]?.() ?? Buffer.from('{}')
}
