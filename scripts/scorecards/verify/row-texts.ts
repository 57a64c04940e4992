import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import type { Input } from '../../../db/scorecards/definition/inputs.ts'
import type { InputValue } from '../../../worker/scoring/model.ts'
import { categoriesOf } from '../import/model-categories.ts'

/** Notations of R, pandas, Excel and SAS for a missing value. A category with this name takes precedence. */
const ABSENT = /^(na|n\/a|#n\/a|<na>|nan|nat|null|\(null\))$/i

/** Whether a text means a missing value. */
export const isAbsent = (text: string): boolean => text === '' || ABSENT.test(text)

/**
 * Returns a reader that converts the texts of a table to the types of the model's inputs: `NA` is missing, `4.0` is the
 * category `4`, `True` the category `true`, unless the model has a category with exactly that text.
 *
 * What is neither a number nor a boolean stays a text.
 */
export function compileRowTexts(
  card: BuiltScorecard,
): (texts: Readonly<Record<string, string>>) => Record<string, InputValue> {
  const reads = new Map(card.inputs.map((input) => [input.name, compileText(input, textsOf(card, input))]))
  return (texts) =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [name, reads.get(name)?.(text) ?? undefined]),
    )
}

/** Returns the known texts of an input; empty for any. */
export function textsOf({ model, segments = [] }: BuiltScorecard, input: Input): readonly string[] {
  const models = model ? [model] : segments.map((segment) => segment.model)
  return [
    ...new Set([
      ...models.flatMap((one) => categoriesOf(one, input.name)),
      ...[...(input.valid?.values ?? []), ...input.special, ...input.missing].map(String),
    ]),
  ]
}

function compileText(input: Input, known: readonly string[]): (text: string) => InputValue {
  const { type } = input
  if (type === 'category') return compileCategory(known)
  return (text) => {
    if (isAbsent(text) || text === '.') return undefined // missing number in SAS
    const number = Number(text)
    if (type === 'number') {
      if (!Number.isNaN(number)) return number
      return /^true$/i.test(text) ? 1 : /^false$/i.test(text) ? 0 : text
    }
    if (/^(true|yes)$/i.test(text) || number === 1) return true
    return /^(false|no)$/i.test(text) || number === 0 ? false : text
  }
}

function compileCategory(known: readonly string[]): (text: string) => InputValue {
  const exact = new Set(known)
  const byNumber = Map.groupBy(known.filter(isNumeric), Number)
  const byWord = Map.groupBy(
    known.filter((text) => /^(true|false)$/i.test(text)),
    (text) => text.toLowerCase(),
  )
  return (text) => {
    if (exact.has(text)) return text
    if (isAbsent(text)) return undefined
    const [same, other] =
      (isNumeric(text) ? byNumber.get(Number(text)) : byWord.get(text.toLowerCase())) ?? []
    return same !== undefined && other === undefined ? same : text
  }
}

const isNumeric = (text: string) => text.trim() !== '' && Number.isFinite(Number(text))
