import type { PmmlScorecard } from '../../../db/scorecards/definition/pmml.ts'
import type { Contribution } from '../model.ts'
import { describePredicate, fieldsOfPredicate } from './describe-predicate.ts'
import { NoPrediction, NoScore, PmmlError } from './errors.ts'
import { type Context, compileExpression } from './expressions.ts'
import { roundingOf } from './math-context.ts'
import { compilePredicate, holds } from './predicates.ts'
import type { Predict, Prediction } from './prediction.ts'
import type { Evaluate, Frame } from './program.ts'
import { asNumber } from './values.ts'

/**
 * Compiles a scorecard: adds the partial scores of the first matching attribute of each characteristic.
 *
 * Reason codes: differences from the baseline are summed by code, and those over 0 are ranked; ties in the order of the
 * file.
 *
 * @see https://dmg.org/pmml/v4-4/Scorecard.html
 */
export function compileScorecard(card: PmmlScorecard, context: Context): Predict {
  const { initialScore, useReasonCodes } = card
  const sign = card.reasonCodeAlgorithm === 'pointsBelow' ? 1 : -1
  const round = roundingOf(card)
  const codes = orderOfCodes(card)
  const characteristics = card.characteristics.map((characteristic) =>
    compileCharacteristic(characteristic, context),
  )

  const rank = (contributions: readonly Contribution[]): string[] => {
    const differences = new Map<string, number>()
    for (const { reasonCode, baseline, points } of contributions)
      if (reasonCode !== null && baseline !== null)
        differences.set(reasonCode, (differences.get(reasonCode) ?? 0) + sign * (baseline - points))
    return [...differences]
      .filter(([, difference]) => difference > 0)
      .sort(([a, of], [b, than]) => than - of || (codes.get(a) ?? 0) - (codes.get(b) ?? 0))
      .map(([code]) => code)
  }

  return (frame): Prediction => {
    let value = round(initialScore)
    const contributions: Contribution[] = []
    for (const evaluate of characteristics) {
      const contribution = evaluate(frame)
      value = round(value + round(contribution.points))
      contributions.push(contribution)
    }
    return useReasonCodes
      ? { value, contributions, reasonCodes: rank(contributions) }
      : { value, contributions }
  }
}

function orderOfCodes({ characteristics }: PmmlScorecard): Map<string, number> {
  const order = new Map<string, number>()
  for (const { reasonCode, attributes } of characteristics)
    for (const code of [reasonCode, ...attributes.map((attribute) => attribute.reasonCode)])
      if (code !== undefined && !order.has(code)) order.set(code, order.size)
  return order
}

type Characteristic = PmmlScorecard['characteristics'][number]

function compileCharacteristic(
  characteristic: Characteristic,
  context: Context,
): (frame: Frame) => Contribution {
  const { name, reasonCode, baselineScore: baseline = null } = characteristic
  const attributes = characteristic.attributes.map(({ predicate, partialScore, reasonCode: own }) => ({
    test: compilePredicate(predicate, context),
    points: compilePoints(partialScore, name, context),
    bin: describePredicate(predicate),
    reasonCode: own ?? reasonCode ?? null,
  }))
  const input = compileInput(characteristic, context)
  return (frame) => {
    for (const { test, points, bin, reasonCode: code } of attributes)
      if (holds(test(frame)))
        return {
          characteristic: name,
          input: input(frame) ?? null,
          bin,
          points: points(frame),
          baseline,
          reasonCode: code,
        }
    // an invalid result, which neither a default value nor another segment replaces
    throw new NoScore(`no attribute of ${name} matches ${describeInput(input(frame))}`)
  }
}

const describeInput = (value: unknown) => (value === undefined ? 'a missing value' : JSON.stringify(value))

function compilePoints(
  partialScore: Characteristic['attributes'][number]['partialScore'],
  name: string,
  context: Context,
): (frame: Frame) => number {
  if (typeof partialScore === 'number') return () => partialScore
  const evaluate = compileExpression(partialScore, context)
  return (frame) => {
    const value = evaluate(frame)
    if (value === undefined) throw new NoPrediction(`the partial score of ${name} is missing`)
    return asNumber(value)
  }
}

/** Reads the input of a characteristic; missing if its predicates read several fields. */
function compileInput({ name, attributes }: Characteristic, { scope }: Context): Evaluate {
  const fields = [...new Set(attributes.flatMap(({ predicate }) => fieldsOfPredicate(predicate)))]
  const [field] = fields
  if (attributes.length === 0) throw new PmmlError(`${name} has no attributes`, name)
  return field === undefined || fields.length > 1 ? () => undefined : scope.find(field).read
}
