import type { Expression, PmmlScorecard } from '../../../../db/scorecards/definition/pmml.ts'
import { evaluateExpression } from './expressions.ts'
import type { Fields } from './fields.ts'
import { evaluatePredicate } from './predicates.ts'
import { NOTHING, type Prediction } from './prediction.ts'
import { rescale } from './targets.ts'
import { InvalidResult, numberOf } from './values.ts'

/** @see https://dmg.org/pmml/v4-4-1/Scorecard.html */
export function evaluateScorecard(card: PmmlScorecard, fields: Fields): Prediction {
  let score = card.initialScore
  const differences = new Map<string, number>()
  // ties are in the order of the file
  for (const { attributes, reasonCode } of card.characteristics)
    for (const code of [reasonCode, ...attributes.map((attribute) => attribute.reasonCode)])
      if (code !== undefined) differences.set(code, 0)
  for (const { name, attributes, baselineScore, reasonCode } of card.characteristics) {
    const attribute = attributes.find((one) => evaluatePredicate(one.predicate, fields) === true)
    if (!attribute) throw new InvalidResult(`no attribute of ${name} matches`)
    const points = pointsOf(attribute.partialScore, fields)
    if (points === undefined) return NOTHING
    score += points
    const code = attribute.reasonCode ?? reasonCode
    if (card.useReasonCodes && code !== undefined && baselineScore !== undefined) {
      const difference =
        card.reasonCodeAlgorithm === 'pointsBelow' ? baselineScore - points : points - baselineScore
      differences.set(code, (differences.get(code) ?? 0) + difference)
    }
  }
  if (!Number.isFinite(score)) throw new InvalidResult('no finite score')
  const value = rescale(score, card)
  return card.useReasonCodes ? { value, reasonCodes: rank(differences) } : { value }
}

function pointsOf(partialScore: number | Expression, fields: Fields): number | undefined {
  if (typeof partialScore === 'number') return partialScore
  const value = evaluateExpression(partialScore, fields)
  return value === undefined ? undefined : numberOf(value)
}

/** Ranks codes by difference, greatest first; docs/pmml.md: points at the baseline are no reason. */
const rank = (differences: ReadonlyMap<string, number>): string[] =>
  [...differences]
    .filter(([, difference]) => difference > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([code]) => code)
