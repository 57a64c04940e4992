import { numberText } from '../../../parts/formats.ts'
import type { Characteristic } from '../insight-types.ts'

/** The input of a characteristic as text. */
export function inputText(input: Characteristic['input']): string {
  if (input === null) return 'missing'
  if (typeof input === 'boolean') return input ? 'yes' : 'no'
  return typeof input === 'number' ? numberText(input) : input
}
