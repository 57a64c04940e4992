import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import type { PmmlElement } from '../../../db/scorecards/definition/pmml.ts'
import { nearestNames } from '../import/nearest-names.ts'
import type { Table } from '../import/read-table.ts'

export const SCORE = /^(expected[ _])?score$/i
export const PROBABILITY = /^(expected[ _])?(probability|probability[ _]of[ _]bad|pd)$/i
export const REASON = /^(expected[ _])?reason[ _]?code[ _]?(\d+)$|^rc(\d+)(st|nd|rd|th)?$/i
export const REASONS = /^(expected[ _])?reason[ _]?codes$/i
export const POINTS = /^(.+)_points$/
const RESULTS = [SCORE, PROBABILITY, REASON, REASONS, POINTS]

/** Columns of results by usage. */
interface ResultColumns {
  readonly compared: readonly string[]
  /** A sentence per column with the reason why it is not compared. */
  readonly notCompared: readonly string[]
}

/** Classifies the columns of a table of results, which may also be that of the inputs; each omission is reported. */
export function sortColumns(card: BuiltScorecard, inputs: Table, results: Table): ResultColumns {
  const outputs = namesOfOutputs(card)
  const read = new Set(card.inputs.map(({ name }) => name))
  const isResult = (name: string) => RESULTS.some((known) => known.test(name)) || outputs.has(name)
  const isInputHere = (name: string) => results === inputs && read.has(name)
  const candidates = results.columns.filter((name) => !isInputHere(name))
  const known = ['score', 'probability', 'reason_code_1', 'reason_codes', ...outputs]
  const whyNot = (name: string) => {
    if (read.has(name)) return `an input of the model, read from ${inputs.file}`
    if (inputs !== results && inputs.columns.includes(name)) return `also a column of ${inputs.file}`
    const [nearest = ''] = nearestNames(name, known, 1)
    return `neither an input nor a result of the model; the nearest is ${nearest}`
  }
  return {
    compared: candidates.filter(isResult),
    notCompared: [
      ...candidates
        .filter((name) => !isResult(name))
        .map((name) => `column ${name} of ${results.file} is not compared: it is ${whyNot(name)}`),
      ...(inputs === results ? [] : inputs.columns.filter((name) => isResult(name) && !read.has(name))).map(
        (name) => `column ${name} of ${inputs.file} is not compared: results are read from ${results.file}`,
      ),
      ...[...read]
        .filter((name) => !inputs.columns.includes(name))
        .map((name) => `${inputs.file} has no column ${name}: this input is missing in all rows`),
    ],
  }
}

/** Returns the named outputs of a card's model, including inner models. */
export function namesOfOutputs({ model }: BuiltScorecard): ReadonlySet<string> {
  if (model?.kind !== 'pmml') return new Set()
  const targets = model.model.fields.filter(({ usage }) => usage === 'target')
  return new Set([...outputsOf(model.model), ...targets.map(({ name }) => name)])
}

function outputsOf(element: PmmlElement): string[] {
  const inner =
    element.element === 'MiningModel' ? element.segments.flatMap(({ model }) => outputsOf(model)) : []
  return [...element.outputs.map(({ name }) => name), ...inner]
}
