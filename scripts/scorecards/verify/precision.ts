import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import type { PmmlElement } from '../../../db/scorecards/definition/pmml.ts'
import type { ExpectedRow } from './expected-rows.ts'

/** Relative tolerance: engines add numbers in different orders. */
const DOUBLE = 1e-9
/** About 8 units in the last place of a 32-bit float. */
const FLOAT = 1e-6

/** Fewer digits than this are a rounded score, not the full precision of an engine: R prints 7, SAS 9, floats 9. */
const LEAST_DIGITS = 7

/** Tolerance for comparing numbers with those of another engine. */
export interface Precision {
  /** @param column a name from `columnsOf`. */
  isSame(column: string, expected: number, got: number): boolean
  /** A description for the report, if it differs from the usual 9 digits. */
  readonly words: string | undefined
}

/** Derives the tolerance from the engine's precision: 32-bit floats if it uses them, and the printed digits of each column. */
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
            ...(isFloat ? ['relative tolerance 0.000001, for 32-bit floats'] : []),
            ...few.map(([column, { digits }]) => `${column} to its ${digits} digits`),
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

/** Returns the maximum digits and decimals of each column with enough digits, but fewer than those of a 64-bit float. */
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

/** Returns the numbers of a row by column: `score`, `points of NAME`, or the name of an output. */
function columnsOf({ score, points, outputs }: ExpectedRow['expected']): [string, string][] {
  return [
    ...(typeof score === 'number' ? [['score', String(score)] as [string, string]] : []),
    ...Object.entries(points).map(([name, value]): [string, string] => [`points of ${name}`, String(value)]),
    ...Object.entries(outputs).flatMap(([name, text]): [string, string][] =>
      text === null ? [] : [[name, text]],
    ),
  ]
}
