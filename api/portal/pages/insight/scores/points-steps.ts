import type { Characteristic, ExplainedScore } from '../insight-types.ts'

/** A characteristic's way from one sum to the next. */
export interface Step {
  /** undefined: several characteristics together. */
  readonly characteristic: Characteristic | undefined
  /** How many characteristics it stands for. */
  readonly characteristics: number
  readonly points: number
  readonly from: number
  readonly to: number
}

/** How base and points of all characteristics become what the model says. */
export interface Steps {
  readonly base: number
  /** Largest effect first; those that add nothing are left out, small ones stand together. */
  readonly steps: readonly Step[]
  readonly total: number
  /**
   * What is added up: points of the score itself, log-odds of bad, which the scaling turns into the score, or what the model
   * says in units of its own, which the score comes from in another way.
   */
  readonly unit: 'points' | 'logOdds' | 'other'
  /** Characteristics that added nothing. */
  readonly idle: number
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
    .filter(({ points }) => points !== 0)
    .toSorted((a, b) => Math.abs(b.points) - Math.abs(a.points))
  const shown = moving.length > atMost ? moving.slice(0, atMost - 1) : moving
  const rest = moving.slice(shown.length)
  const moves: Pick<Step, 'characteristic' | 'characteristics' | 'points'>[] = shown.map(
    (characteristic) => ({
      ...{ characteristic, characteristics: 1, points: characteristic.points },
    }),
  )
  if (rest.length > 0)
    moves.push({ characteristic: undefined, characteristics: rest.length, points: sumOf(rest) })
  let at = base
  const steps = moves.map((move) => {
    const from = at
    at += move.points
    return { ...move, from, to: at }
  })
  const unit = isSame(at, unrounded) ? 'points' : isSame(at, logOdds) ? 'logOdds' : 'other'
  return {
    ...{ base, steps, unit, total: at },
    idle: characteristics.length - moving.length,
  }
}

const isSame = (sum: number, one: number | null) =>
  one !== null && Math.abs(sum - one) < TOLERANCE * Math.max(1, Math.abs(sum))

const sumOf = (characteristics: readonly Characteristic[]) =>
  characteristics.reduce((sum, { points }) => sum + points, 0)

/** What the sum is called. */
export const SUM_NAMES = { points: 'Score', logOdds: 'Log-odds of bad', other: 'Sum' } as const

/** Whether more of it speaks for the client, against, or nobody knows. */
export function effectOf(
  points: number,
  unit: Steps['unit'],
  direction: ExplainedScore['scorecard']['direction'],
): 'for' | 'against' | 'unknown' {
  if (unit === 'logOdds') return points > 0 ? 'against' : 'for' // of bad
  if (unit === 'other' || direction === null) return 'unknown'
  return points > 0 === (direction === 'higherIsBetter') ? 'for' : 'against'
}
