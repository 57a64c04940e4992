import type { Features } from '../../../db/capture/features.ts'
import type { Scorecard } from '../../../db/scorecards/definition/definition.ts'
import type { Attribute } from '../../../db/scorecards/definition/points.ts'
import { presentBin } from '../../../db/scorecards/definition/present-bin.ts'

/** The result of the naive implementation for a row. */
export interface NaiveScore {
  readonly value: number
  readonly logOdds: number
  readonly reasons: readonly string[]
  readonly contributions: readonly { characteristic: string; bin: string; points: number }[]
}

/** Scores a points card naively: interprets the definition bin by bin for every row. */
export function scoreNaively(card: Scorecard, features: Features): NaiveScore {
  if (card.model?.kind !== 'points') throw new Error('Not a points card')
  let logOdds = card.model.intercept ?? 0
  const found = card.model.characteristics.map((characteristic) => {
    const input = card.inputs.find(({ name }) => name === characteristic.input)
    const value = (features as Record<string, unknown>)[input?.feature ?? '']
    const attribute = characteristic.attributes.find((bin) => matches(bin, value, input?.special ?? []))
    if (typeof attribute?.points !== 'number') throw new Error(`${characteristic.name} has no bin`)
    logOdds += (characteristic.coefficient ?? 0) * (attribute.woe ?? 0)
    const { name, baseline = 0, reasonCode = '' } = characteristic
    return {
      ...{ characteristic: name, bin: presentBin(attribute), points: attribute.points },
      ...{ baseline, reasonCode },
    }
  })
  return {
    value: found.reduce((sum, { points }) => sum + points, card.model.basePoints),
    logOdds,
    reasons: found
      .filter(({ points, baseline }) => points < baseline)
      .sort((a, b) => b.baseline - b.points - (a.baseline - a.points))
      .map(({ reasonCode }) => reasonCode)
      .slice(0, 4),
    contributions: found,
  }
}

function matches(attribute: Attribute, value: unknown, special: readonly unknown[]): boolean {
  const { from, above, to, below } = attribute
  if (value === undefined) return attribute.missing === true
  if (special.includes(value))
    return (
      attribute.special === true || (attribute.special as unknown[] | undefined)?.includes(value) === true
    )
  if (attribute.else || (attribute.in as unknown[] | undefined)?.includes(value)) return true
  if (typeof value !== 'number' || [from, above, to, below].every((bound) => bound === undefined))
    return false
  return (
    (from === undefined || value >= from) &&
    (above === undefined || value > above) &&
    (to === undefined || value <= to) &&
    (below === undefined || value < below)
  )
}
