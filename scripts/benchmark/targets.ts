import { CONNECTIONS } from './measure-accept.ts'
import { presentFactor, presentNumber, presentShare } from './numbers.ts'
import { PROCESSOR_TIMES, shareOfBare } from './processor-time.ts'
import { medianOf, type Samples } from './samples.ts'

/** A target and its measured value. Only ratios within one run are reliable; the few absolute bounds are for an idle machine. */
export interface Target {
  readonly name: string
  /** Median of the rounds or of their ratios; NaN if not measured. */
  readonly measured: number
  readonly atLeast: number
  readonly aim?: number
  /** Whether the bounds are upper bounds. */
  readonly isMost?: boolean
  readonly present: (value: number) => string
}

const milliseconds = (value: number) => `${presentNumber(value)} ms`
const megabytes = (value: number) => `${presentNumber(value)} MB`

/** Lists all targets, with typical captures and 64 connections unless stated otherwise. */
export function listTargets(samples: Samples): Target[] {
  const accept = `typical ${CONNECTIONS}`
  const perSecond = (of: string, by: string) =>
    medianOf(samples.ratios(`${of}: perSecond`, `${by}: perSecond`))
  const factor = (name: string, measured: number, atLeast: number, aim: number): Target => ({
    ...{ name, measured, atLeast, aim },
    present: presentFactor,
  })
  const share = (name: string, measured: number, atLeast: number, aim: number): Target => ({
    ...{ name, measured, atLeast, aim },
    present: presentShare,
  })
  return [
    ...PROCESSOR_TIMES.flatMap((time) =>
      time.bare && time.target
        ? [
            share(
              `processor time per ${time.piece} in ${time.process === 'postgres' ? 'Postgres' : time.process}: share of ${time.bare.what}`,
              shareOfBare(samples, time),
              time.target.atLeast,
              time.target.aim,
            ),
          ]
        : [],
    ),
    factor('accept vs textbook', perSecond(`accept inkling ${accept}`, `accept textbook ${accept}`), 4, 6),
    share(
      'accept, share of Koa that only reads and parses',
      perSecond(`accept inkling ${accept}`, `accept koa ${accept}`),
      0.35,
      0.5,
    ),
    ...[1, 4].map((n) =>
      share(
        `accept, share of \`\\copy\` of the same bytes, ${n === 1 ? '1 connection' : `${n} connections`}`,
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
    share('drain, share of decoding alone in one thread', perSecond('drain inkling 1', 'decode 1'), 0.6, 0.8),
    share(
      'drain by two processes, share of decoding alone in two threads',
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
    factor('read vs textbook, known tokens', perSecond('read inkling cached', 'read textbook cached'), 5, 10),
    factor(
      'read vs textbook, new tokens',
      perSecond('read inkling uncached', 'read textbook uncached'),
      5,
      10,
    ),
    share(
      'read, share of a constant behind the same token check',
      perSecond('read inkling cached', 'read constant cached'),
      0.4,
      0.65,
    ),
    {
      name: 'points card of 15 characteristics, rows/s per core',
      measured: samples.median('score points inkling: perSecond'),
      ...{ atLeast: 200_000, aim: 300_000, present: presentNumber },
    },
    {
      name: 'model of 300 trees, rows/s per core',
      measured: samples.median('score trees inkling: perSecond'),
      ...{ atLeast: 5_000, aim: 15_000, present: presentNumber },
    },
    {
      name: 'generalised regression of 10 numbers, rows/s per core',
      measured: samples.median('score regression inkling: perSecond'),
      ...{ atLeast: 100_000, aim: 200_000, present: presentNumber },
    },
    {
      ...{ name: 'idle, upload to insight ready, p50', measured: samples.median('idle inkling: p50Ms') },
      ...{ atLeast: 20, aim: 8, isMost: true, present: milliseconds },
    },
    {
      name: 'accept p99 at 256 connections, share of the textbook’s p50',
      measured: medianOf(
        samples.ratios('accept inkling typical 256: p99Ms', 'accept textbook typical 256: p50Ms'),
      ),
      ...{ atLeast: 1, isMost: true, present: presentShare },
    },
    {
      name: 'segments of 2,000 browsers, one each 5 s, p99',
      measured: samples.median('collect: p99Ms'),
      ...{ atLeast: 300, isMost: true, present: milliseconds },
    },
    {
      name: 'an upload beside them, share of its p50 alone',
      measured: medianOf(samples.ratios('collect beside: uploadP50Ms', 'collect alone: uploadP50Ms')),
      ...{ atLeast: 1.25, isMost: true, present: presentShare },
    },
    {
      name: 'peak memory of web with 256 concurrent large uploads',
      measured: samples.median('accept inkling large 256: webMb'),
      ...{ atLeast: 512, aim: 300, isMost: true, present: megabytes },
    },
  ]
}

/** Returns the result of a target in one word. */
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
