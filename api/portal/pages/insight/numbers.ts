/** Points and the like: at most three decimals, with a true minus. */
export const numberText = (value: number): string => plain.format(value).replace('-', '−')

/** The same, with its sign also where it is more than 0. */
export const signedText = (value: number): string => signed.format(value).replace('-', '−')

/** A probability: 0.0831 is 8.31%. */
export const percentText = (share: number, digits = 2): string =>
  new Intl.NumberFormat('en', {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(share)

/** How many: 12,045. */
export const countText = (count: number): string => new Intl.NumberFormat('en').format(count)

/** One of it, or several: `2 datasets`. */
export const pluralText = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`

/** Its place in a row: 1st, 2nd. */
export function ordinalText(place: number): string {
  const suffixes: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }
  return `${countText(place)}${suffixes[ordinals.select(place)] ?? 'th'}`
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 3, useGrouping: false })
const signed = new Intl.NumberFormat('en', {
  maximumFractionDigits: 3,
  useGrouping: false,
  signDisplay: 'exceptZero',
})
