import type { BuiltScorecard } from '../../../db/scorecard/definition.ts'
import type { OutputField, PmmlModel } from '../../../db/scorecard/pmml.ts'
import { compileScorecard, type Score } from '../../../worker/scoring/compile-scorecard.ts'
import { isProbability } from '../../../worker/scoring/is-probability.ts'
import type { Inputs } from '../../../worker/scoring/model.ts'
import { compilePmml } from '../../../worker/scoring/pmml/compile-pmml.ts'
import { type Expected, type ExpectedRow, PREDICTION } from './expected-rows.ts'

/** A row that came out otherwise. */
export interface Mismatch {
  readonly place: string
  readonly inputs: Readonly<Record<string, unknown>>
  /** `score`, `probability`, `reasons`, a characteristic's points, or an output. */
  readonly what: string
  readonly expected: unknown
  readonly got: unknown
}

/** How the rows of a model came out. */
export interface Verification {
  readonly rows: number
  readonly matched: number
  /** Of the first row that did not match. */
  readonly first?: Mismatch
}

/** Numbers may differ by this share: engines add in another order. */
const NUMBER_TOLERANCE = 1e-9

/** Scores every row and compares all that the other engine told. */
export function verifyRows(
  card: BuiltScorecard,
  rows: readonly ExpectedRow[],
  onRow: () => void = () => undefined,
): Verification {
  const compiled = compileScorecard(card)
  const platform = card.platforms[0] ?? 'android'
  const outputsOf = card.model?.kind === 'pmml' ? compileOutputs(card.model, rows) : () => ({})
  let matched = 0
  let first: Mismatch | undefined
  for (const { place, inputs, expected } of rows) {
    const score = compiled.scoreRow(inputs, platform)
    const found = compare(expected, score, outputsOf(inputs))
    if (found) first ??= { place, inputs, ...found }
    else matched++
    onRow()
  }
  return { rows: rows.length, matched, ...(first && { first }) }
}

type Difference = Pick<Mismatch, 'what' | 'expected' | 'got'>

function compare(
  expected: Expected,
  score: Score,
  outputs: Readonly<Record<string, unknown>>,
): Difference | undefined {
  const scored = score.value === null ? undefined : score
  const why = score.value === null ? `no score, since ${score.reason}` : undefined
  if (expected.score !== undefined && !isScore(expected.score, score))
    return { what: 'score', expected: expected.score, got: why ?? scored?.unrounded }
  if (
    expected.probability !== undefined &&
    !isProbability(expected.probability, scored?.unroundedProbability ?? null)
  )
    return { what: 'probability', expected: expected.probability, got: why ?? scored?.unroundedProbability }
  for (const [name, points] of Object.entries(expected.points)) {
    const got = scored?.contributions.find(({ characteristic }) => characteristic === name)?.points
    if (got === undefined || !isSame(points, got))
      return { what: `points of ${name}`, expected: points, got: why ?? got }
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
    if (!isOutput(value, outputs[name])) return { what: name, expected: value, got: outputs[name] ?? null }
  return undefined
}

/** The score as it is told, a whole number, or as the model gives it. */
function isScore(expected: number | null, score: Score): boolean {
  if (expected === null || score.value === null) return expected === score.value
  return expected === score.value || isSame(expected, score.unrounded)
}

const isSame = (expected: number, got: number) =>
  Math.abs(expected - got) <= NUMBER_TOLERANCE * Math.max(1, Math.abs(expected))

const isSameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((code, at) => code === b[at])

/** Some engines fill ranks beyond the last reason with the last one. */
function withoutRepeatedEnd(reasons: readonly string[]): readonly string[] {
  const last = reasons.at(-1)
  return last !== undefined && last === reasons.at(-2) ? withoutRepeatedEnd(reasons.slice(0, -1)) : reasons
}

function isOutput(expected: string | null, got: unknown): boolean {
  if (expected === null || got === undefined || got === null) return expected === (got ?? null)
  if (typeof got === 'number') return isSame(Number(expected), got)
  return expected === String(got)
}

/** Asks a PMML model for every output that is expected, also where the file does not declare it. */
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
  const compiled = compilePmml({
    ...model,
    model: { ...model.model, outputs: [...model.model.outputs, ...asked] },
  })
  return (inputs) => {
    const { outputs } = compiled.evaluateOutputs(inputs)
    return Object.fromEntries([...wanted].map((name) => [name, outputs[`${ASKED}${name}`] ?? outputs[name]]))
  }
}

/** Keeps what is asked for from what the file calls by the same name, as a target is. */
const ASKED = 'asked for: '

/** Results that are called what PMML calls them. */
const FEATURES = ['probability', 'confidence', 'predictedValue'] as const
