import { FEATURES, isFeatureName } from '../../db/capture/features.ts'
import type { Input } from '../../db/scorecards/definition/inputs.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * Compiles the conversion of a verification row to the values that features have: typed numbers and booleans, categories
 * in lower case. Otherwise a verification could match where production does not: a boolean feature mapped to the category
 * `TRUE` has the value true.
 *
 * Inputs without a known feature, and values that their feature cannot have, stay unchanged.
 *
 * @returns a function from row to row, both by the model's input names.
 */
export function compileRowConversion(inputs: readonly Input[]): (row: Row) => Row {
  const conversions = inputs.map((input) => ({ name: input.name, convert: compileConversion(input) }))
  return (row) =>
    Object.fromEntries(
      conversions.flatMap(({ name, convert }) =>
        Object.hasOwn(row, name) ? [[name, convert(row[name])]] : [],
      ),
    )
}

function compileConversion({ feature, texts = {}, missing }: Input): (value: unknown) => unknown {
  if (feature === undefined || !isFeatureName(feature)) return (value) => value
  const convert = CONVERT[FEATURES[feature].type]
  const byText = new Map(Object.entries(texts).map(([value, text]) => [text, value]))
  return (value) => {
    if (value === null || value === undefined || (missing as unknown[]).includes(value)) return value
    return convert(typeof value === 'string' ? (byText.get(value) ?? value) : value)
  }
}

const CONVERT = {
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

/** Wraps a treatment so that it receives the model's text for a feature's value, if the input maps one. */
export function withModelTexts<T>({ texts }: Input, treat: (value: unknown) => T): (value: unknown) => T {
  if (!texts) return treat
  const byValue = new Map(Object.entries(texts))
  return (value) =>
    treat(value === undefined || value === null ? value : (byValue.get(String(value)) ?? value))
}
