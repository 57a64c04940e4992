import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { aScorecard, aScorecardDefinition } from './scorecards.ts'

const field = (name: string) => ({ element: 'FieldRef', field: name })
const text = (value: string) => ({ element: 'Constant', value, dataType: 'string' })
const apply = (name: string, ...args: object[]) => ({
  element: 'Apply',
  function: name,
  arguments: args,
  invalid: 'returnInvalid',
})

/** A definition of a PMML regression on `contacts`, plus a derived field `d` that the functions compute. */
function regressionOn(functions: object[], derived: object, members: object): Record<string, unknown> {
  return aScorecardDefinition({
    probability: undefined,
    scaling: undefined,
    model: {
      kind: 'pmml',
      version: '4.4',
      dictionary: [{ name: 'contacts', optype: 'continuous', dataType: 'double' }],
      functions,
      derived: [{ name: 'd', optype: 'continuous', dataType: 'double', expression: derived }],
      model: {
        element: 'RegressionModel',
        function: 'regression',
        fields: [
          { name: 'contacts', usage: 'active', missing: 'asIs', invalid: 'returnInvalid', outliers: 'asIs' },
        ],
        derived: [],
        targets: [],
        outputs: [],
        normalization: 'none',
        tables: [
          {
            intercept: 600,
            categorical: [],
            terms: [],
            numeric: [{ field: 'd', exponent: 1, coefficient: 1 }],
          },
        ],
      },
    },
    ...members,
  })
}

const ONE = { element: 'Constant', value: '1', dataType: 'double' }
const ZERO = { element: 'Constant', value: '0', dataType: 'double' }

/** 50 calls of a function of 50 regular expressions on 300 characters: 9 KB, and minutes of a backtracking engine. */
export function manyMatches(members: object = {}): Record<string, unknown> {
  const match = apply('matches', field('p'), text('a*a*b'))
  const inner = apply('or', ...Array.from({ length: 50 }, () => match))
  const outer = apply('or', ...Array.from({ length: 50 }, () => apply('inner', field('p'))))
  const of = (name: string, expression: object) => ({ name, parameters: [{ name: 'p' }], expression })
  return regressionOn(
    [of('inner', inner), of('outer', outer)],
    apply('if', apply('outer', text('a'.repeat(300))), ONE, ZERO),
    members,
  )
}

/** 30 replacements in 300 characters for each of the calls, written out from a few: 0.1 s a row for 40 calls. */
export function manyCalls(members: object = {}, calls = 40): Record<string, unknown> {
  const replaced = apply('replace', text('a'.repeat(300)), text('[ab]'), text('yy'))
  const inner = apply('max', ...Array.from({ length: 30 }, () => apply('stringLength', replaced)))
  const outer = apply('max', ...Array.from({ length: calls }, () => apply('inner', field('p'))))
  const of = (name: string, expression: object) => ({ name, parameters: [{ name: 'p' }], expression })
  return regressionOn([of('inner', inner), of('outer', outer)], apply('outer', field('contacts')), members)
}

/** 200 functions that each call the next one twice. */
export function callsWithinCalls(): Record<string, unknown> {
  const functions = Array.from({ length: 200 }, (_, at) => {
    const call = apply(at === 199 ? 'sin' : `f${at + 1}`, field('p'))
    return { name: `f${at}`, parameters: [{ name: 'p' }], expression: apply('max', call, call) }
  })
  return regressionOn(functions, apply('f0', field('contacts')), {})
}

/** A definition as it was stored before the cost of a row was limited: 2.5 ms a row for each call. */
export const storedBeforeLimits = ({ calls = 40 } = {}): Scorecard => ({
  ...aScorecard({ probability: undefined, scaling: undefined }),
  model: manyCalls({}, calls).model as Scorecard['model'],
})
