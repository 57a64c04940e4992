import type { Predicate } from '../../../../db/scorecards/definition/pmml.ts'
import type { Draw } from './draw.ts'
import { aConstant, aHalf, aText, type RandomField } from './random-fields.ts'

const COMPOUNDS = ['and', 'or', 'xor', 'surrogate'] as const
const ORDERS = ['lessThan', 'lessOrEqual', 'greaterThan', 'greaterOrEqual'] as const

/** Tenths differ between 32 and 64 bits. */
const aThreshold = (draw: Draw): string =>
  draw.chance(30) ? String(draw.whole(-30, 30) / 10) : String(aHalf(draw))

/** Draws a predicate over some fields. */
export function aPredicate(draw: Draw, known: readonly RandomField[], depth = 2): Predicate {
  if (known.length === 0 || draw.chance(10)) return { element: draw.chance(20) ? 'False' : 'True' }
  if (depth > 0 && draw.chance(25))
    return {
      element: 'CompoundPredicate',
      operator: draw.pick(COMPOUNDS),
      predicates: draw.list(1, 3, () => aPredicate(draw, known, depth - 1)),
    }
  return overOne(draw, draw.pick(known))
}

function overOne(draw: Draw, { name: field, kind }: RandomField): Predicate {
  if (draw.chance(15))
    return { element: 'SimplePredicate', field, operator: draw.pick(['isMissing', 'isNotMissing']) }
  if (kind !== 'truth' && draw.chance(20))
    return {
      element: 'SimpleSetPredicate',
      field,
      operator: draw.pick(['isIn', 'isNotIn']),
      values: draw.list(1, 3, () => (kind === 'number' ? aThreshold(draw) : aText(draw))),
    }
  const operator =
    kind === 'number' && draw.chance(80) ? draw.pick(ORDERS) : draw.pick(['equal', 'notEqual'] as const)
  return {
    element: 'SimplePredicate',
    field,
    operator,
    value: kind === 'number' ? aThreshold(draw) : aConstant(draw, kind),
  }
}

/** Draws a split as tools write it: exactly one predicate matches a present number. */
export function aSplit(draw: Draw, known: readonly RandomField[]): Predicate[] {
  const numbers = known.filter(({ kind }) => kind === 'number')
  if (numbers.length === 0 || draw.chance(25)) return draw.list(1, 3, () => aPredicate(draw, known, 1))
  const { name: field } = draw.pick(numbers)
  const value = aThreshold(draw)
  const [low, high] = draw.pick([
    ['lessThan', 'greaterOrEqual'],
    ['lessOrEqual', 'greaterThan'],
  ] as const)
  const split: Predicate[] = [
    { element: 'SimplePredicate', field, operator: low, value },
    { element: 'SimplePredicate', field, operator: high, value },
  ]
  return draw.chance(20) ? split.toReversed() : split
}
