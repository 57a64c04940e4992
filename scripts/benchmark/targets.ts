import { CONNECTIONS } from './measure-accept.ts'
import { presentFactor, presentNumber, presentShare } from './numbers.ts'
import { medianOf, type Samples } from './samples.ts'

/** A bound that the service sets itself, and what was measured. Only ratios of one run count; the few absolute bounds are for a calm machine. */
export interface Target {
  readonly what: string
  /** Median of the rounds' ratios, or of the rounds; NaN if it was not measured. */
  readonly measured: number
  readonly atLeast: number
  readonly aim?: number
  /** A bound from above. */
  readonly isMost?: boolean
  readonly present: (value: number) => string
}

const milliseconds = (value: number) => `${presentNumber(value)} ms`
const megabytes = (value: number) => `${presentNumber(value)} MB`

/** Every target, on typical captures and 64 connections where it does not say otherwise. */
export function listTargets(samples: Samples): Target[] {
  const accept = `typical ${CONNECTIONS}`
  const perSecond = (name: string, by: string) =>
    medianOf(samples.ratios(`${name}: perSecond`, `${by}: perSecond`))
  const factor = (what: string, measured: number, atLeast: number, aim: number): Target => ({
    ...{ what, measured, atLeast, aim },
    present: presentFactor,
  })
  const share = (what: string, measured: number, atLeast: number, aim: number): Target => ({
    ...{ what, measured, atLeast, aim },
    present: presentShare,
  })
  return [
    factor('accept vs textbook', perSecond(`accept inkling ${accept}`, `accept textbook ${accept}`), 4, 6),
    share(
      'accept, of Koa that only reads and parses',
      perSecond(`accept inkling ${accept}`, `accept koa ${accept}`),
      0.35,
      0.5,
    ),
    ...[1, 4].map((n) =>
      share(
        `accept, of \`\\copy\` of the same bytes, ${n} at once`,
        perSecond(`accept inkling ${accept}`, `copy ${n}`),
        0.4,
        0.6,
      ),
    ),
    factor(
      'drain vs textbook, one worker process each',
      perSecond('drain inkling 1', 'drain textbook 1'),
      3,
      5,
    ),
    factor(
      'drain vs textbook, two worker processes each',
      perSecond('drain inkling 2', 'drain textbook 2'),
      4,
      6,
    ),
    share('drain, of decoding alone in one thread', perSecond('drain inkling 1', 'decode 1'), 0.6, 0.8),
    share(
      'drain by two processes, of decoding alone in two threads',
      perSecond('drain inkling 2', 'decode 2'),
      0.6,
      0.8,
    ),
    factor(
      'absorb and drain a burst vs textbook',
      medianOf(samples.ratios('absorb textbook: drainedS', 'absorb inkling: drainedS')),
      2.8,
      4,
    ),
    factor(
      'read vs textbook, tokens known to both',
      perSecond('read inkling cached', 'read textbook cached'),
      5,
      10,
    ),
    factor(
      'read vs textbook, tokens new to both',
      perSecond('read inkling uncached', 'read textbook uncached'),
      5,
      10,
    ),
    share(
      'read, of a constant behind the same token check',
      perSecond('read inkling cached', 'read constant cached'),
      0.4,
      0.65,
    ),
    {
      what: 'points card of 15 characteristics, rows a second of one core',
      measured: samples.median('score points inkling: perSecond'),
      ...{ atLeast: 200_000, aim: 300_000, present: presentNumber },
    },
    {
      what: 'model of 300 trees, rows a second of one core',
      measured: samples.median('score trees inkling: perSecond'),
      ...{ atLeast: 5_000, aim: 15_000, present: presentNumber },
    },
    {
      what: 'generalised regression of 10 numbers, rows a second of one core',
      measured: samples.median('score regression inkling: perSecond'),
      ...{ atLeast: 100_000, aim: 200_000, present: presentNumber },
    },
    {
      ...{ what: 'idle, upload sent to insight ready, p50', measured: samples.median('idle inkling: p50Ms') },
      ...{ atLeast: 20, aim: 8, isMost: true, present: milliseconds },
    },
    {
      what: 'p99 of accept at 256 connections, of the textbook’s p50',
      measured: medianOf(
        samples.ratios('accept inkling typical 256: p99Ms', 'accept textbook typical 256: p50Ms'),
      ),
      ...{ atLeast: 1, isMost: true, present: presentShare },
    },
    {
      what: 'peak memory of web under 256 large uploads at once',
      measured: samples.median('accept inkling large 256: webMb'),
      ...{ atLeast: 512, aim: 300, isMost: true, present: megabytes },
    },
  ]
}

/** How a target fared, in a word. */
export function judge({
  measured,
  atLeast,
  aim,
  isMost = false,
}: Target): 'aim' | 'met' | 'missed' | 'not measured' {
  if (!Number.isFinite(measured)) return 'not measured'
  const reaches = (bound: number) => (isMost ? measured <= bound : measured >= bound)
  if (aim !== undefined && reaches(aim)) return 'aim'
  return reaches(atLeast) ? 'met' : 'missed'
}
