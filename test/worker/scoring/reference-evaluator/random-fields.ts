import type { DataField, MiningField } from '../../../../db/scorecards/definition/pmml.ts'
import type { Draw } from './draw.ts'

/** The type of a value in expressions and predicates. */
export type Kind = 'number' | 'text' | 'truth'

/** A field that an element of a random model can refer to. */
export interface RandomField {
  readonly name: string
  readonly kind: Kind
}

export const TEXTS = ['a', 'b', 'c', '1', 'true']

/** Halves from -4 to 4: their sums and products are exact, so that both evaluators agree at thresholds. */
export const aHalf = (draw: Draw): number => draw.whole(-8, 8) / 2

export const aText = (draw: Draw): string => draw.pick(TEXTS)

/** Draws a constant of the file for a kind of value. */
export function aConstant(draw: Draw, kind: Kind): string {
  if (kind === 'number') return String(aHalf(draw))
  return kind === 'text' ? aText(draw) : draw.pick(['true', 'false'])
}

const KINDS: readonly Kind[] = ['number', 'number', 'text', 'number', 'truth']

/** Draws the input fields of a random model, of several types. */
export function someData(draw: Draw): { data: DataField[]; fields: MiningField[]; known: RandomField[] } {
  const known = KINDS.slice(0, draw.whole(1, KINDS.length)).map((kind, at) => ({ name: `x${at}`, kind }))
  const data = known.map(({ name, kind }) => aDataField(draw, name, kind))
  return {
    data,
    known,
    fields: data.map((field, at) => aMiningField(draw, field, known[at]?.kind ?? 'number')),
  }
}

function aDataField(draw: Draw, name: string, kind: Kind): DataField {
  if (kind === 'truth') return { name, optype: 'categorical', dataType: 'boolean' }
  const missing = draw.chance(20) ? [kind === 'number' ? '-4' : 'c'] : undefined
  const invalid = draw.chance(10) ? [kind === 'number' ? '3.5' : 'b'] : undefined
  if (kind === 'text') {
    const values = draw.chance(40) ? ['a', 'b', '1'].filter((text) => !invalid?.includes(text)) : undefined
    return { name, optype: 'categorical', dataType: 'string', missing, invalid, values }
  }
  const intervals = draw.chance(30) ? [anInterval(draw)] : undefined
  const dataType = draw.pick(['double', 'double', 'float'] as const)
  return { name, optype: 'continuous', dataType, missing, invalid, intervals }
}

const anInterval = (draw: Draw) => ({
  closure: draw.pick(['closedClosed', 'closedOpen', 'openClosed', 'openOpen'] as const),
  left: draw.chance(70) ? draw.whole(-6, -3) / 2 : undefined,
  right: draw.chance(70) ? draw.whole(2, 6) / 2 : undefined,
})

function aMiningField(draw: Draw, data: DataField, kind: Kind): MiningField {
  const replacement = () => (kind === 'number' ? String(draw.whole(-2, 1)) : kind === 'text' ? 'a' : 'true')
  const invalid = draw.pick(['returnInvalid', 'asIs', 'asMissing', 'asMissing', 'asValue'] as const)
  const outliers = kind === 'number' && draw.chance(30)
  const missing = draw.chance(10) ? ('returnInvalid' as const) : ('asIs' as const)
  return {
    name: data.name,
    usage: 'active',
    missing,
    missingValueReplacement: missing === 'asIs' && draw.chance(20) ? replacement() : undefined,
    invalid,
    invalidValueReplacement: invalid === 'asValue' ? replacement() : undefined,
    outliers: outliers ? draw.pick(['asMissingValues', 'asExtremeValues'] as const) : 'asIs',
    low: outliers ? draw.whole(-6, -4) / 2 : undefined,
    high: outliers ? draw.whole(3, 6) / 2 : undefined,
  }
}
