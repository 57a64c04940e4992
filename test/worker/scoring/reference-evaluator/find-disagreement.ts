import type { Outcome } from '../../../../worker/scoring/model.ts'
import type { ReferenceResult } from './evaluate-row.ts'
import type { Value } from './values.ts'

interface Computed {
  readonly outcome: Outcome
  readonly outputs: Readonly<Record<string, Value>>
}

/** The reference adds in another order and integrates the normal distribution numerically. */
const TOLERANCE = 1e-8

const isClose = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b))

const isSame = (a: Value, b: Value): boolean =>
  typeof a === 'number' && typeof b === 'number' ? isClose(a, b) : a === b

/** Describes where a compiled model and the reference evaluator disagree; undefined if they agree. */
export function findDisagreement(
  { outcome, outputs }: Computed,
  reference: ReferenceResult,
): string | undefined {
  if ('noScore' in outcome)
    return 'noScore' in reference
      ? undefined
      : `no score (${outcome.noScore}), expected ${String(reference.score)}`
  if ('noScore' in reference) return `a score, expected none: ${reference.noScore}`
  const { prediction, score } = reference
  const { probabilities: shares = new Map<string, number>() } = prediction
  const ranked = [...shares.values()].toSorted((a, b) => b - a)
  const isTie = ranked.length > 1 && isClose(ranked[0] ?? 0, ranked[1] ?? 1)
  for (const [category, share] of shares) {
    const computed = outcome.probabilities?.[category] ?? 0
    if (!isClose(computed, share)) return `probability of ${category} is ${computed}, expected ${share}`
  }
  // ties depend on the order
  if (isTie) return undefined
  if (outcome.category !== undefined && outcome.category !== prediction.value)
    return `category ${outcome.category}, expected ${String(prediction.value)}`
  if (outcome.category === undefined && !isSame(outcome.value ?? undefined, score))
    return `value ${outcome.value}, expected ${String(score)}`
  const codes = outcome.reasonCodes ?? []
  if (String(codes) !== String(prediction.reasonCodes ?? []))
    return `reasons ${String(codes)}, expected ${String(prediction.reasonCodes)}`
  for (const [name, value] of reference.outputs)
    if (!isSame(outputs[name], value)) return `output ${name} is ${outputs[name]}, expected ${String(value)}`
  return undefined
}
