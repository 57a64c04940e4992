import type { DerivedField } from '../../../../db/scorecards/definition/pmml.ts'
import { evaluateExpression } from './expressions.ts'
import type { Fields } from './fields.ts'
import { castTo } from './values.ts'

/** Adds derived fields to those of an element. */
export function addDerived(fields: Fields, derived: readonly DerivedField[]): void {
  for (const { name, expression, dataType } of derived)
    fields.derived.set(name, {
      dataType,
      compute: () => castTo(evaluateExpression(expression, fields), dataType),
    })
}
