import type { Outcome } from '../../../../worker/scoring/model.ts'
import type { ReferenceResult } from './evaluate-row.ts'
import type { Value } from './values.ts'

interface Computed {
  readonly outcome: Outcome
  readonly outputs: Readonly<Record<string, Value>>
}

/** Sums are added up in another order, and the normal distribution is integrated. */
const TOLERANCE = 1e-8

const isClose = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b))

const isSame = (a: Value, b: Value): boolean =>
  typeof a === 'number' && typeof b === 'number' ? isClose(a, b) : a === b

/** Says where a compiled model and the second reader disagree; undefined: nowhere. */
export function findDisagreement(
  { outcome, outputs }: Computed,
  reading: ReferenceResult,
): string | undefined {
  if ('noScore' in outcome)
    return 'noScore' in reading
      ? undefined
      : `no score (${outcome.noScore}), but the reader has ${String(reading.score)}`
  if ('noScore' in reading) return `a score, but the reader has none: ${reading.noScore}`
  const { prediction, score } = reading
  const { probabilities: shares = new Map<string, number>() } = prediction
  const ranked = [...shares.values()].toSorted((a, b) => b - a)
  const isTie = ranked.length > 1 && isClose(ranked[0] ?? 0, ranked[1] ?? 1)
  for (const [category, share] of shares) {
    const ours = outcome.probabilities?.[category] ?? 0
    if (!isClose(ours, share)) return `probability of ${category} is ${ours}, not ${share}`
  }
  // which of several that are equal wins is a matter of order
  if (isTie) return undefined
  if (outcome.category !== undefined && outcome.category !== prediction.value)
    return `category ${outcome.category}, not ${String(prediction.value)}`
  if (outcome.category === undefined && !isSame(outcome.value ?? undefined, score))
    return `value ${outcome.value}, not ${String(score)}`
  const codes = outcome.reasonCodes ?? []
  if (String(codes) !== String(prediction.reasonCodes ?? []))
    return `reasons ${String(codes)}, not ${String(prediction.reasonCodes)}`
  for (const [name, value] of reading.outputs)
    if (!isSame(outputs[name], value)) return `output ${name} is ${outputs[name]}, not ${String(value)}`
  return undefined
}
