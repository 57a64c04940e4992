import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import type { PmmlElement } from '../../../db/scorecards/definition/pmml.ts'
import type { ExpectedRow } from './expected-rows.ts'

/** Numbers may differ by this share of their size: engines add in another order. */
const DOUBLE = 1e-9
/** Some 8 units in the last place of a 32-bit float. */
const FLOAT = 1e-6

/** Fewer digits than these are a rounded score, not a number as an engine prints it: R prints 7, SAS 9, floats 9. */
const LEAST_DIGITS = 7

/** How near numbers have to be to those of another engine. */
export interface Precision {
  /** @param column as `columnsOf` names it. */
  isSame(column: string, expected: number, got: number): boolean
  /** Where it is another than the usual 9 digits; for a person. */
  readonly words: string | undefined
}

/** By the engine's own precision: 32-bit floats where it computes so, and as many digits as a column is printed with. */
export function findPrecision(card: BuiltScorecard, rows: readonly ExpectedRow[]): Precision {
  const isFloat = computesInFloats(card)
  const share = isFloat ? FLOAT : DOUBLE
  const printed = findPrinted(rows)
  const few = [...printed].filter(([, { digits }]) => 10 ** (1 - digits) > share)
  return {
    isSame(column, expected, got) {
      const { digits = Number.POSITIVE_INFINITY, decimals = Number.POSITIVE_INFINITY } =
        printed.get(column) ?? {}
      const size = Math.abs(expected)
      const byDigits = size === 0 ? 0 : 0.5 * 10 ** (Math.floor(Math.log10(size)) + 1 - digits)
      return Math.abs(expected - got) <= share * Math.max(1, size) + Math.max(byDigits, 0.5 * 10 ** -decimals)
    },
    words:
      isFloat || few.length > 0
        ? [
            ...(isFloat ? ['numbers within 0.000001 of their size, as 32-bit floats are'] : []),
            ...few.map(([column, { digits }]) => `${column} to the ${digits} digits that it has`),
          ].join(', ')
        : undefined,
  }
}

function computesInFloats({ model }: BuiltScorecard): boolean {
  if (model?.kind === 'trees') return model.tool === 'xgboost'
  return model?.kind === 'pmml' && isFloat(model.model)
}

const isFloat = (element: PmmlElement): boolean =>
  ('mathContext' in element && element.mathContext === 'float') ||
  element.outputs.some(({ dataType }) => dataType === 'float') ||
  (element.element === 'MiningModel' && element.segments.some(({ model }) => isFloat(model)))

interface Printed {
  readonly digits: number
  readonly decimals: number
}

/** The most digits and decimals of each column that has at least so many, and fewer than a 64-bit float has. */
function findPrinted(rows: readonly ExpectedRow[]): ReadonlyMap<string, Printed> {
  const most = new Map<string, Printed>()
  for (const { expected } of rows)
    for (const [column, text] of columnsOf(expected)) {
      const [, whole = '', fraction = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? []
      const digits = `${whole}${fraction}`.replace(/^0+/, '').length
      const known = most.get(column) ?? { digits: 0, decimals: 0 }
      most.set(column, {
        digits: Math.max(known.digits, digits),
        decimals: Math.max(known.decimals, fraction.length),
      })
    }
  return new Map(
    [...most].filter(([, { digits, decimals }]) => decimals > 0 && digits >= LEAST_DIGITS && digits < 15),
  )
}

/** The numbers of a row by column: `score`, `points of NAME`, or the name of an output. */
function columnsOf({ score, points, outputs }: ExpectedRow['expected']): [string, string][] {
  return [
    ...(typeof score === 'number' ? [['score', String(score)] as [string, string]] : []),
    ...Object.entries(points).map(([name, value]): [string, string] => [`points of ${name}`, String(value)]),
    ...Object.entries(outputs).flatMap(([name, text]): [string, string][] =>
      text === null ? [] : [[name, text]],
    ),
  ]
}
