import type { Characteristic, ExplainedScore } from '../insight-types.ts'

/** A bar of the waterfall, from one subtotal to the next. */
export interface Step {
  /** undefined for several characteristics combined. */
  readonly characteristic: Characteristic | undefined
  /** Number of characteristics. */
  readonly characteristics: number
  /** Points minus baseline; the points if the scorecard has no baseline. */
  readonly gap: number
  readonly from: number
  readonly to: number
}

/** Points of a characteristic minus its baseline; reasons are ranked by it. */
export const gapOf = ({ points, baseline }: Pick<Characteristic, 'points' | 'baseline'>): number =>
  points - (baseline ?? 0)

/** The steps from the baseline to the output of the model. */
export interface Steps {
  /** Base of the scorecard plus the baselines of all characteristics. */
  readonly start: number
  /** Whether any characteristic has a baseline. */
  readonly hasBaselines: boolean
  /** Largest gap first; zero gaps are omitted, small gaps combined. */
  readonly steps: readonly Step[]
  readonly total: number
  /**
   * Unit of the sum: points of the score, log-odds of bad, which the scaling converts to the score, or another unit of the
   * model.
   */
  readonly unit: 'points' | 'logOdds' | 'other'
  /** Characteristics without a gap. */
  readonly withoutEffect: number
}

/** Relative tolerance of floating-point sums. */
const TOLERANCE = 1e-6

/** Computes at most `atMost` steps of a score; undefined for models without points. */
export function stepsOf(
  {
    base,
    characteristics,
    unrounded,
    logOdds,
  }: Pick<ExplainedScore, 'base' | 'characteristics' | 'unrounded' | 'logOdds'>,
  atMost: number,
): Steps | undefined {
  if (base === null || characteristics.length === 0) return undefined
  const effective = characteristics
    .filter((characteristic) => gapOf(characteristic) !== 0)
    .toSorted((a, b) => Math.abs(gapOf(b)) - Math.abs(gapOf(a)))
  const shown = effective.length > atMost ? effective.slice(0, atMost - 1) : effective
  const rest = effective.slice(shown.length)
  const changes: Pick<Step, 'characteristic' | 'characteristics' | 'gap'>[] = shown.map((characteristic) => ({
    ...{ characteristic, characteristics: 1, gap: gapOf(characteristic) },
  }))
  if (rest.length > 0)
    changes.push({ characteristic: undefined, characteristics: rest.length, gap: sumOf(rest) })
  const start = characteristics.reduce((sum, one) => sum + (one.baseline ?? 0), base)
  let at = start
  const steps = changes.map((change) => {
    const from = at
    at += change.gap
    return { ...change, from, to: at }
  })
  const unit = isClose(at, unrounded) ? 'points' : isClose(at, logOdds) ? 'logOdds' : 'other'
  return {
    ...{ start, steps, unit, total: at },
    hasBaselines: characteristics.some(({ baseline }) => baseline !== null),
    withoutEffect: characteristics.length - effective.length,
  }
}

const isClose = (sum: number, one: number | null) =>
  one !== null && Math.abs(sum - one) < TOLERANCE * Math.max(1, Math.abs(sum))

const sumOf = (characteristics: readonly Characteristic[]) =>
  characteristics.reduce((sum, one) => sum + gapOf(one), 0)

export const SUM_LABELS = { points: 'Score', logOdds: 'Log-odds of bad', other: 'Sum' } as const

/** Whether a gap is positive or negative for the client; unknown if the scorecard does not define a direction. */
export function effectOf(
  gap: number,
  unit: Steps['unit'],
  direction: ExplainedScore['scorecard']['direction'],
): 'for' | 'against' | 'unknown' {
  if (unit === 'logOdds') return gap > 0 ? 'against' : 'for' // of bad
  if (unit === 'other' || direction === null) return 'unknown'
  return gap > 0 === (direction === 'higherIsBetter') ? 'for' : 'against'
}
