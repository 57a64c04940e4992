import type { Capture } from '../../db/capture/capture.ts'
import { collectAndroid } from './android.ts'
import { drawInstant } from './clock.ts'
import type { Occasion } from './collect.ts'
import { collectIos } from './ios.ts'
import { createPopulation, type PopulationOptions } from './population.ts'
import { createRandom, type Random } from './random.ts'
import { type CaptureSize, planSize } from './size.ts'
import { describeClient, drawAddress, nameReference } from './upload-details.ts'
import { collectWeb } from './web.ts'

export interface GenerateOptions {
  readonly seed: number | string
  readonly count: number
  /** `mixed`, the default, is a quarter small, 65 % typical and a tenth large. */
  readonly size?: CaptureSize | 'mixed'
  /** Weights; 70, 20 and 10 by default. A missing platform has weight 0. */
  readonly platforms?: Partial<PopulationOptions['platforms']>
  /** End of the period in which the captures were collected. */
  readonly at?: Date
  /** 14 by default. */
  readonly days?: number
  /** 0.06 by default; see `PopulationOptions`. */
  readonly sharedDeviceShare?: number
  /** 0.3 by default. */
  readonly repeatClientShare?: number
  /** `stores`: the apps obey the rules of Google Play and Apple; `none`, the default: captures have every section. */
  readonly policy?: 'stores' | 'none'
}

/** One upload without `data`, which `encodeCapture` creates from the capture. */
export interface GeneratedUpload {
  readonly referenceNumber: string
  readonly capture: Capture
  readonly realIp: string
  readonly additionalInfo: Record<string, string>
}

const DAY_MS = 86_400_000
const DEFAULT_AT = new Date('2026-11-20T12:00:00.000Z')
const DEFAULT_PLATFORMS = { android: 70, ios: 20, web: 10 }

/**
 * Generates captures of a realistic population lazily, in the order of their days.
 *
 * The same options give the same uploads with the same Node. Memory does not grow with the count.
 */
export function* generateCaptures(options: GenerateOptions): Generator<GeneratedUpload, void, undefined> {
  const { seed, count, size = 'mixed', at = DEFAULT_AT, days = 14 } = options
  const root = createRandom(seed)
  const population = createPopulation(root.fork('population'), {
    platforms: { android: 0, ios: 0, web: 0, ...(options.platforms ?? DEFAULT_PLATFORMS) },
    sharedDeviceShare: options.sharedDeviceShare ?? 0.06,
    repeatClientShare: options.repeatClientShare ?? 0.3,
    at,
  })
  const lastByDevice = new WeakMap<object, number>()

  for (let index = 0; index < count; index++) {
    const random = root.fork(`upload ${index}`)
    const { person, device } = population.visit(index)
    const dayEnd = at.getTime() - (days - 1 - Math.floor((index / count) * days)) * DAY_MS
    const lastAt = lastByDevice.get(device) ?? 0
    const again = lastAt > dayEnd - 2 * DAY_MS && random.chance(0.5)
    const drawn = again ? 0 : drawInstant(random, dayEnd, person.home.utcOffsetHours)
    const pauseMs = random.logNormal(6 * 60_000, 1)
    const endSession = (durationMs: number) => {
      // Two sessions on one device do not overlap, except at the end of the period.
      const end = Math.floor(Math.min(Math.max(drawn, lastAt + pauseMs + durationMs), at.getTime()))
      lastByDevice.set(device, end)
      return end
    }
    const plan = planSize(random, size === 'mixed' ? drawSize(random) : size)
    const stores = options.policy === 'stores'
    const capture = collect({ random, device, person, plan, stores, endSession }, at.getTime())
    yield {
      referenceNumber: nameReference(seed, index, capture.collectedAt),
      capture,
      realIp: drawAddress(random.chance(0.6) ? device.random.fork('address') : random),
      additionalInfo: describeClient(person),
    }
  }
}

function drawSize(random: Random): CaptureSize {
  const u = random.float()
  return u < 0.25 ? 'small' : u < 0.9 ? 'typical' : 'large'
}

function collect(occasion: Occasion, until: number): Capture {
  const { device } = occasion
  switch (device.platform) {
    case 'android':
      return collectAndroid({ ...occasion, device }, until)
    case 'ios':
      return collectIos({ ...occasion, device })
    case 'web':
      return collectWeb({ ...occasion, device })
  }
}
