import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import type { OutputField, PmmlModel } from '../../../db/scorecards/definition/pmml.ts'
import { compileScorecard, type Score } from '../../../worker/scoring/compile-scorecard.ts'
import { matchesProbability } from '../../../worker/scoring/matches-probability.ts'
import type { Inputs } from '../../../worker/scoring/model.ts'
import { compilePmml } from '../../../worker/scoring/pmml/compile-pmml.ts'
import { type Expected, type ExpectedRow, PREDICTION } from './expected-rows.ts'
import { findPrecision, type Precision } from './precision.ts'
import { isAbsent, textsOf } from './row-texts.ts'

/** A row that did not match. */
export interface Mismatch {
  readonly place: string
  readonly inputs: Readonly<Record<string, unknown>>
  /** `score`, `probability`, `reasons`, a characteristic's points, or an output. */
  readonly what: string
  readonly expected: unknown
  readonly got: unknown
  /** A sentence per value that the model does not know. */
  readonly hints: readonly string[]
}

/** The verification result of a model's rows. */
export interface Verification {
  readonly rows: number
  readonly matched: number
  /** Number of compared values. */
  readonly compared: number
  /** Description of the tolerance, if it is not 9 digits. */
  readonly precision: string | undefined
  /** The first mismatch. */
  readonly first?: Mismatch
}

/** Scores every row and compares it with all results of the other engine. */
export function verifyRows(
  card: BuiltScorecard,
  rows: readonly ExpectedRow[],
  onRow: () => void = () => undefined,
): Verification {
  const compiled = compileScorecard(card)
  const platform = card.platforms[0] ?? 'android'
  const precision = findPrecision(card, rows)
  const outputsOf = card.model?.kind === 'pmml' ? compileOutputs(card.model, rows) : () => ({})
  let [matched, compared] = [0, 0]
  let first: Mismatch | undefined
  for (const { place, inputs, expected } of rows) {
    const score = compiled.scoreRow(inputs, platform)
    const found = compare(expected, score, outputsOf(inputs), precision)
    compared += countResults(expected)
    if (found) first ??= { place, inputs, ...found, hints: hintsOf(card, inputs) }
    else matched++
    onRow()
  }
  return { rows: rows.length, matched, compared, precision: precision.words, ...(first && { first }) }
}

const countResults = ({ score, probability, reasons, points, outputs }: Expected) =>
  [score, probability, reasons].filter((result) => result !== undefined).length +
  Object.keys(points).length +
  Object.keys(outputs).length

/** Describes values that the model does not know, such as a misspelt category. */
function hintsOf(card: BuiltScorecard, inputs: Inputs): string[] {
  return card.inputs.flatMap((input) => {
    const value = inputs[input.name]
    const shown = `${input.name} is ${JSON.stringify(value)}`
    if (typeof value !== 'string') return []
    if (input.type !== 'category') return [`${shown}, which is not a ${input.type}`]
    const known = textsOf(card, input)
    const renamed = Object.keys(input.texts ?? {})
    if (known.length === 0 || known.includes(value) || renamed.includes(value)) return []
    if (hasElse(card, input.name)) return []
    return [`${shown}, which the model does not know: it has ${known.slice(0, 10).join(', ')}`]
  })
}

/** Whether other texts have a bin. */
const hasElse = ({ model }: BuiltScorecard, input: string) =>
  model?.kind === 'points' &&
  model.characteristics.some(
    (characteristic) =>
      characteristic.input === input && characteristic.attributes.some((attribute) => attribute.else),
  )

type Difference = Pick<Mismatch, 'what' | 'expected' | 'got'>

function compare(
  expected: Expected,
  score: Score,
  outputs: Readonly<Record<string, unknown>>,
  precision: Precision,
): Difference | undefined {
  const scored = score.value === null ? undefined : score
  const why = score.value === null ? `no score: ${score.reason}` : undefined
  if (expected.score !== undefined && !isScore(expected.score, score, precision))
    return { what: 'score', expected: expected.score, got: why ?? scored?.unrounded }
  if (
    expected.probability !== undefined &&
    !matchesProbability(expected.probability, scored?.unroundedProbability ?? null)
  )
    return { what: 'probability', expected: expected.probability, got: why ?? scored?.unroundedProbability }
  for (const [name, points] of Object.entries(expected.points)) {
    const got = scored?.contributions.find(({ characteristic }) => characteristic === name)?.points
    const isPoints =
      points === null
        ? got === undefined
        : got !== undefined && precision.isSame(`points of ${name}`, points, got)
    if (!isPoints) return { what: `points of ${name}`, expected: points, got: why ?? got }
  }
  if (expected.reasons) {
    const { reasons, reasonsAtMost = Number.POSITIVE_INFINITY } = expected
    const got = (scored?.reasons ?? []).slice(0, reasonsAtMost)
    if (!isSameList(reasons, got) && !isSameList(withoutRepeatedEnd(reasons), got))
      return {
        what: 'reasons',
        expected: reasons.join(', ') || 'none',
        got: why ?? (got.join(', ') || 'none'),
      }
  }
  for (const [name, value] of Object.entries(expected.outputs))
    if (!isOutput(name, value, outputs, precision))
      return {
        what: name,
        expected: value,
        got: name in outputs ? (outputs[name] ?? null) : 'the model has no result with this name',
      }
  return undefined
}

/** Compares the rounded score, or within the tolerance the unrounded one. */
function isScore(expected: number | null, score: Score, precision: Precision): boolean {
  if (expected === null || score.value === null) return expected === score.value
  return expected === score.value || precision.isSame('score', expected, score.unrounded)
}

const isSameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((code, at) => code === b[at])

/** Some engines repeat the last reason for the remaining ranks. */
function withoutRepeatedEnd(reasons: readonly string[]): readonly string[] {
  const last = reasons.at(-1)
  return last !== undefined && last === reasons.at(-2) ? withoutRepeatedEnd(reasons.slice(0, -1)) : reasons
}

function isOutput(
  name: string,
  expected: string | null,
  outputs: Readonly<Record<string, unknown>>,
  precision: Precision,
): boolean {
  if (!(name in outputs)) return false
  const got = outputs[name] ?? undefined
  if (expected === null || got === undefined)
    return (expected === null || isAbsent(expected)) && got === undefined
  if (typeof got === 'number') return precision.isSame(name, Number(expected), got)
  if (expected === String(got)) return true
  if (typeof got === 'boolean') return (got ? /^(true|1(\.0+)?)$/i : /^(false|0(\.0+)?)$/i).test(expected)
  // pandas writes the category 4 as 4.0 if others are missing
  return expected.trim() !== '' && Number(expected) === Number(got)
}

/** Adds all expected outputs to a PMML model, also those that the file does not declare. */
function compileOutputs(
  model: PmmlModel,
  rows: readonly ExpectedRow[],
): (inputs: Inputs) => Readonly<Record<string, unknown>> {
  const wanted = new Set(rows.flatMap(({ expected }) => Object.keys(expected.outputs)))
  const declared = new Set(model.model.outputs.map(({ name }) => name))
  const targets = new Set(model.model.fields.flatMap(({ name, usage }) => (usage === 'target' ? [name] : [])))
  const asked = [...wanted]
    .filter((name) => !declared.has(name))
    .flatMap((name): OutputField[] => {
      const feature =
        name === PREDICTION || targets.has(name) ? 'predictedValue' : FEATURES.find((of) => of === name)
      return feature ? [{ name: `${ASKED}${name}`, feature, rank: 1, isFinalResult: false }] : []
    })
  const askedNames = new Set(asked.map(({ name }) => name))
  const compiled = compilePmml({
    ...model,
    model: { ...model.model, outputs: [...model.model.outputs, ...asked] },
  })
  return (inputs) => {
    const { outputs } = compiled.evaluateOutputs(inputs)
    return Object.fromEntries(
      [...wanted].flatMap((name) =>
        askedNames.has(`${ASKED}${name}`) || name in outputs
          ? [[name, outputs[`${ASKED}${name}`] ?? outputs[name]]]
          : [],
      ),
    )
  }
}

/** Prefix that avoids name clashes with outputs of the file, such as a target. */
const ASKED = 'asked for: '

/** Results with the names of PMML features. */
const FEATURES = ['probability', 'confidence', 'predictedValue'] as const
