import type { Characteristic, ExplainedScore } from '../insight-types.ts'

/** A characteristic's way from one sum to the next. */
export interface Step {
  /** undefined: several characteristics together. */
  readonly characteristic: Characteristic | undefined
  /** How many characteristics it stands for. */
  readonly characteristics: number
  /** How far its points lie from the baseline; the points themselves where the scorecard names no baseline. */
  readonly gap: number
  readonly from: number
  readonly to: number
}

/** The gap of a characteristic's points to its baseline: what reasons are ranked by. */
export const gapOf = ({ points, baseline }: Pick<Characteristic, 'points' | 'baseline'>): number =>
  points - (baseline ?? 0)

/** How the baseline and the gaps of all characteristics become what the model says. */
export interface Steps {
  /** The base of the scorecard and the baselines of all characteristics. */
  readonly start: number
  /** Whether any characteristic has a baseline. */
  readonly hasBaselines: boolean
  /** Largest gap first; those without one are left out, small ones stand together. */
  readonly steps: readonly Step[]
  readonly total: number
  /**
   * What is added up: points of the score itself, log-odds of bad, which the scaling turns into the score, or what the model
   * says in units of its own, which the score comes from in another way.
   */
  readonly unit: 'points' | 'logOdds' | 'other'
  /** Characteristics without a gap. */
  readonly withoutEffect: number
}

/** Sums of doubles differ in their last digits. */
const TOLERANCE = 1e-6

/** The steps of a score, at most so many; undefined where it is not made of points. */
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
  const moving = characteristics
    .filter((characteristic) => gapOf(characteristic) !== 0)
    .toSorted((a, b) => Math.abs(gapOf(b)) - Math.abs(gapOf(a)))
  const shown = moving.length > atMost ? moving.slice(0, atMost - 1) : moving
  const rest = moving.slice(shown.length)
  const moves: Pick<Step, 'characteristic' | 'characteristics' | 'gap'>[] = shown.map((characteristic) => ({
    ...{ characteristic, characteristics: 1, gap: gapOf(characteristic) },
  }))
  if (rest.length > 0)
    moves.push({ characteristic: undefined, characteristics: rest.length, gap: sumOf(rest) })
  const start = characteristics.reduce((sum, one) => sum + (one.baseline ?? 0), base)
  let at = start
  const steps = moves.map((move) => {
    const from = at
    at += move.gap
    return { ...move, from, to: at }
  })
  const unit = isSame(at, unrounded) ? 'points' : isSame(at, logOdds) ? 'logOdds' : 'other'
  return {
    ...{ start, steps, unit, total: at },
    hasBaselines: characteristics.some(({ baseline }) => baseline !== null),
    withoutEffect: characteristics.length - moving.length,
  }
}

const isSame = (sum: number, one: number | null) =>
  one !== null && Math.abs(sum - one) < TOLERANCE * Math.max(1, Math.abs(sum))

const sumOf = (characteristics: readonly Characteristic[]) =>
  characteristics.reduce((sum, one) => sum + gapOf(one), 0)

/** What the sum is called. */
export const SUM_NAMES = { points: 'Score', logOdds: 'Log-odds of bad', other: 'Sum' } as const

/** Whether a gap to the baseline speaks for the client or against; unknown where the scorecard does not tell. */
export function effectOf(
  gap: number,
  unit: Steps['unit'],
  direction: ExplainedScore['scorecard']['direction'],
): 'for' | 'against' | 'unknown' {
  if (unit === 'logOdds') return gap > 0 ? 'against' : 'for' // of bad
  if (unit === 'other' || direction === null) return 'unknown'
  return gap > 0 === (direction === 'higherIsBetter') ? 'for' : 'against'
}
