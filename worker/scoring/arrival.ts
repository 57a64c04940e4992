import { FEATURES, isFeatureName } from '../../db/capture/features.ts'
import type { Input } from '../../db/scorecards/definition/inputs.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * Makes ready to read a row of a verification as the features of a dataset arrive: numbers and booleans typed, words in
 * lower case. A verification that compared the texts of a file would match where production does not: a boolean mapped to
 * the category `TRUE` arrives as true.
 *
 * An input that is no feature yet stays as it is, and so does a value that its feature cannot have.
 *
 * @returns by the model's names, as the row.
 */
export function compileArrivals(inputs: readonly Input[]): (row: Row) => Row {
  const arrivals = inputs.map((input) => ({ name: input.name, arrive: compileArrival(input) }))
  return (row) =>
    Object.fromEntries(
      arrivals.flatMap(({ name, arrive }) => (Object.hasOwn(row, name) ? [[name, arrive(row[name])]] : [])),
    )
}

function compileArrival({ feature, texts = {}, missing }: Input): (value: unknown) => unknown {
  if (feature === undefined || !isFeatureName(feature)) return (value) => value
  const arrive = ARRIVE[FEATURES[feature].type]
  const byText = new Map(Object.entries(texts).map(([value, text]) => [text, value]))
  return (value) => {
    if (value === null || value === undefined || (missing as unknown[]).includes(value)) return value
    return arrive(typeof value === 'string' ? (byText.get(value) ?? value) : value)
  }
}

const ARRIVE = {
  number: (value: unknown) =>
    typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
      ? Number(value)
      : value,
  boolean: (value: unknown) => {
    if (/^(true|yes|1(\.0+)?)$/i.test(String(value))) return true
    return /^(false|no|0(\.0+)?)$/i.test(String(value)) ? false : value
  },
  category: (value: unknown) => String(value).trim().toLowerCase() || undefined,
} as const

/** A treatment that is given what the model calls a feature's value, where it has another name for it. */
export function treatTexts<T>({ texts }: Input, treat: (value: unknown) => T): (value: unknown) => T {
  if (!texts) return treat
  const byValue = new Map(Object.entries(texts))
  return (value) =>
    treat(value === undefined || value === null ? value : (byValue.get(String(value)) ?? value))
}
