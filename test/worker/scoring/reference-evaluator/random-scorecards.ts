import type { PmmlScorecard } from '../../../../db/scorecards/definition/pmml.ts'
import type { Draw } from './draw.ts'
import type { CommonParts, ModelContext } from './model-context.ts'
import { anExpression, anInvalid } from './random-expressions.ts'
import { aHalf, type RandomField } from './random-fields.ts'
import { aPredicate } from './random-predicates.ts'

/** Draws a scorecard over some fields. */
export function aScorecard({ draw, known }: ModelContext, common: CommonParts): PmmlScorecard {
  const useReasonCodes = draw.chance(70)
  return {
    element: 'Scorecard',
    ...common,
    initialScore: draw.pick([0, 10, -2.5]),
    useReasonCodes,
    reasonCodeAlgorithm: draw.pick(['pointsAbove', 'pointsBelow']),
    characteristics: draw.list(1, 3, (at) => ({
      name: `ch${at}`,
      baselineScore: aHalf(draw),
      reasonCode: draw.pick(['R1', 'R2', 'R3']),
      attributes: [
        ...draw.list(0, 2, () => anAttribute(draw, known, aPredicate(draw, known))),
        ...(draw.chance(80) ? [anAttribute(draw, known, { element: 'True' })] : []),
        anAttribute(draw, known, aPredicate(draw, known)),
      ],
    })),
  }
}

const anAttribute = (
  draw: Draw,
  known: readonly RandomField[],
  predicate: ReturnType<typeof aPredicate>,
): PmmlScorecard['characteristics'][number]['attributes'][number] => ({
  predicate,
  // sums of these rarely coincide, so that reasons have no ties
  partialScore: draw.chance(15)
    ? anExpression(draw, 'number', known, anInvalid(draw))
    : draw.whole(-2_000, 2_000) / 64,
  reasonCode: draw.chance(30) ? draw.pick(['R1', 'R4']) : undefined,
})
