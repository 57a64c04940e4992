import { CONTRIBUTION_STEPS, type Cost, sumCosts } from './cost.ts'
import type { Expression } from './expression.ts'
import type { Input } from './inputs.ts'
import type { ModelPath } from './model-errors.ts'
import type { Attribute, PointsModel } from './points.ts'
import type { Predicate } from './predicate.ts'

/** Computes the cost of a points model over these inputs. */
export function costOfPoints(
  { characteristics }: PointsModel,
  inputs: ReadonlyMap<string, Input>,
  path: ModelPath,
): Cost {
  return sumCosts(
    path,
    10,
    characteristics.map(({ input: name, attributes }, at) => {
      const input = name === undefined ? undefined : inputs.get(name)
      const special = input?.special.length ?? 0
      // without conditions a bin is found by binary search, otherwise bin by bin
      const inOrder = attributes.some(({ when }) => when !== undefined)
      const find = inOrder ? attributes.reduce((sum, one) => sum + costOfTest(one) + special, 0) : 20
      const points = attributes.reduce((most, one) => Math.max(most, costOfExpression(one.points)), 0)
      return { steps: CONTRIBUTION_STEPS + special + find + points, at: [...path, 'characteristics', at] }
    }),
  )
}

const costOfTest = ({ when, in: values = [], special }: Attribute): number =>
  10 + (when ? costOfPredicate(when) : 0) + values.length + (Array.isArray(special) ? special.length : 0)

function costOfExpression(expression: Expression): number {
  if (typeof expression === 'number') return 0
  if ('input' in expression) return 5
  return expression.args.reduce<number>(
    (sum, arg) => sum + costOfExpression(arg),
    10 + 5 * expression.args.length,
  )
}

/** Computes the steps of a condition on inputs. */
export function costOfPredicate(predicate: Predicate): number {
  if ('not' in predicate) return 5 + costOfPredicate(predicate.not)
  const parts = 'all' in predicate ? predicate.all : 'any' in predicate ? predicate.any : undefined
  return parts ? parts.reduce((sum, part) => sum + costOfPredicate(part), 5 + 3 * parts.length) : 10
}
