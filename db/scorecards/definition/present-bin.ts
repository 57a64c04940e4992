import type { Attribute } from './points.ts'

/** Values of a set that are listed. */
const MAX_VALUES = 8

/** Describes a bin for a person; expected shares use the same name: `[26, 35)`, `apple, google or missing`. */
export function presentBin(attribute: Omit<Attribute, 'points'>): string {
  const { label, from, above, to, below, in: values, missing, special, when } = attribute
  if (label !== undefined) return label
  const parts: string[] = []
  const low = from ?? above
  const high = to ?? below
  if (low !== undefined && high !== undefined)
    parts.push(`${from === undefined ? '(' : '['}${low}, ${high}${to === undefined ? ')' : ']'}`)
  else if (low !== undefined) parts.push(`${from === undefined ? '>' : '>='} ${low}`)
  else if (high !== undefined) parts.push(`${to === undefined ? '<' : '<='} ${high}`)
  if (values) parts.push(presentValues(values))
  if (special) parts.push(special === true ? 'special' : `special ${presentValues(special)}`)
  if (when) parts.push('condition')
  if (attribute.else) parts.push('else')
  if (missing) parts.push('missing')
  return parts.join(' or ')
}

const presentValues = (values: readonly unknown[]) =>
  values
    .slice(0, MAX_VALUES)
    .map((value) => (value === '' ? '""' : String(value)))
    .join(', ') + (values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : '')
