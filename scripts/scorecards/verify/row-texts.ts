import type { Input } from '../../../db/scorecard/inputs.ts'
import type { InputValue } from '../../../worker/scoring/model.ts'

/** Makes ready to read the texts of a table as the types that a model has its inputs in. What is no number stays a text. */
export function compileRowTexts(
  inputs: readonly Input[],
): (texts: Readonly<Record<string, string>>) => Record<string, InputValue> {
  const types = new Map(inputs.map(({ name, type }) => [name, type]))
  return (texts) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, readText(text, types.get(name))]))
}

function readText(text: string, type: Input['type'] | undefined): InputValue {
  if (type === 'number') {
    const value = Number(text)
    return Number.isNaN(value) && !/^nan$/i.test(text) ? text : value
  }
  if (type === 'boolean')
    return /^(true|1|yes)$/i.test(text) ? true : /^(false|0|no)$/i.test(text) ? false : text
  return text
}
