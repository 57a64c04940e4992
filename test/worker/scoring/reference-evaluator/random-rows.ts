import type { Draw } from './draw.ts'
import { type RandomField, TEXTS } from './random-fields.ts'
import type { Value } from './values.ts'

/** Returns the next double above a nonzero number. */
function above(number: number): number {
  const bits = new BigInt64Array(1)
  const value = new Float64Array(bits.buffer)
  value[0] = number
  bits[0] = (bits[0] ?? 0n) + (number > 0 ? 1n : -1n)
  return value[0] ?? Number.NaN
}

const below = (number: number): number => -above(-number)

/** Rare edge cases. */
const EXTREMES = [0, -0, 5e-324, -5e-324, 1e-9, 1e6, -1e6, 123_456.789]

/** Draws a value of a field: mostly a relevant one, sometimes missing, of another type or one ulp off. */
function aValue(draw: Draw, { kind }: RandomField): Value {
  const way = draw.whole(0, 19)
  if (way === 19) return undefined
  if (way === 18) return draw.pick<Value>(['zz', '', '2', 1, true, '-0.5'])
  if (kind === 'truth') return draw.chance(50)
  if (kind === 'text') return draw.pick(TEXTS)
  const half = draw.chance(20) ? draw.whole(-30, 30) / 10 : draw.whole(-9, 9) / 2
  if (way === 17) return draw.pick(EXTREMES)
  if (way >= 14) return half === 0 ? 5e-324 : draw.chance(50) ? above(half) : below(half)
  return way >= 11 ? Math.trunc(half) : half
}

/** Draws a row for the fields of a model, by name. */
export function aRow(draw: Draw, known: readonly RandomField[]): Record<string, Value> {
  return Object.fromEntries(known.map((field) => [field.name, aValue(draw, field)]))
}
