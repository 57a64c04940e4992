import type { PmmlModel } from '../../../../db/scorecards/definition/pmml.ts'
import type { InputValue } from '../../../../worker/scoring/model.ts'
import type { CompiledPmml } from '../../../../worker/scoring/pmml/compile-pmml.ts'
import { isSame, readConstant, readNumber, type Value } from '../../../../worker/scoring/pmml/values.ts'
import { readElement } from './read-element.ts'
import { readTable } from './read-table-element.ts'
import type { XmlElement } from './read-xml.ts'

/** A row of ModelVerification: inputs, and expected values by name of output or target. */
interface VerificationRow {
  readonly line: number
  readonly inputs: Readonly<Record<string, InputValue>>
  /** null is missing; outputs without a cell are not compared. */
  readonly expected: Readonly<Record<string, string | null>>
}

interface VerificationField {
  readonly field: string
  readonly column: string
  readonly precision: number
  readonly zeroThreshold: number
}

/** The result of comparing the model with its ModelVerification. */
export interface Verification {
  readonly rows: readonly VerificationRow[]
  /** Rows without a cell of an output, which cannot be compared. */
  readonly uncompared: number
  readonly matched: number
  /** Mismatches with their line; the first hundred. */
  readonly mismatches: readonly string[]
}

const MOST_MISMATCHES = 100

/** @see https://dmg.org/pmml/v4-4/ModelVerification.html */
export function verifyModel(
  element: XmlElement,
  definition: PmmlModel,
  compiled: CompiledPmml,
): Verification {
  const { fields, rows: all } = readVerification(element, compiled)
  const target = definition.model.fields.find(({ usage }) => usage === 'target')?.name
  const rows = all.filter(({ expected }) => Object.keys(expected).length > 0)
  const mismatches = rows.flatMap((row) => {
    const { outputs, outcome } = compiled.evaluateOutputs(row.inputs)
    const predicted = 'noScore' in outcome ? undefined : (outcome.value ?? outcome.category)
    return fields.flatMap(({ field, precision, zeroThreshold }) => {
      const expected = row.expected[field]
      if (expected === undefined) return []
      const actual = field in outputs ? outputs[field] : field === target ? predicted : undefined
      if (!(field in outputs) && field !== target)
        return [`line ${row.line}: ${field} is not an output of the model`]
      if (isExpected(actual, expected, precision, zeroThreshold)) return []
      const why = 'noScore' in outcome ? ` (${outcome.noScore})` : ''
      return [
        `line ${row.line}: ${field} should be ${expected ?? 'missing'}, but is ${actual ?? 'missing'}${why}`,
      ]
    })
  })
  const wrong = new Set(mismatches.map((mismatch) => mismatch.split(':')[0]))
  return {
    rows,
    uncompared: all.length - rows.length,
    matched: rows.length - wrong.size,
    mismatches: mismatches.slice(0, MOST_MISMATCHES),
  }
}

function readVerification(
  element: XmlElement,
  { inputs }: CompiledPmml,
): { fields: VerificationField[]; rows: VerificationRow[] } {
  return readElement(element, (from) => {
    from.ignore('recordCount', 'fieldCount')
    const fields = readElement(from.requiredChild('VerificationFields'), (all) =>
      all.children('VerificationField').map((field) =>
        readElement(field, (of) => {
          const name = of.required('field')
          return {
            field: name,
            column: of.text('column') ?? name,
            precision: of.number('precision') ?? 1e-6,
            zeroThreshold: of.number('zeroThreshold') ?? 1e-16,
          }
        }),
      ),
    )
    const rows = readTable(from.requiredChild('InlineTable')).map(
      ({ element: { line }, cells }): VerificationRow => {
        const row = {
          line,
          inputs: {} as Record<string, InputValue>,
          expected: {} as Record<string, string | null>,
        }
        for (const { field, column } of fields) {
          const cell = cells.get(column.slice(column.indexOf(':') + 1))
          if (inputs.includes(field)) row.inputs[field] = cell === undefined || cell === '' ? undefined : cell
          else if (cell !== undefined) row.expected[field] = cell === '' ? null : cell
        }
        return row
      },
    )
    return { fields, rows }
  })
}

function isExpected(
  actual: Value,
  expected: string | null,
  precision: number,
  zeroThreshold: number,
): boolean {
  if (expected === null || actual === undefined) return expected === null && actual === undefined
  const wanted = readNumber(expected)
  if (typeof actual !== 'number' || Number.isNaN(wanted))
    return isSame(actual, readConstant(expected, undefined))
  if (Math.abs(wanted) <= zeroThreshold) return Math.abs(actual) <= zeroThreshold
  return Math.abs(actual - wanted) <= precision * Math.abs(wanted)
}
