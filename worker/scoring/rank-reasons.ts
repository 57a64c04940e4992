import type { Scorecard } from '../../db/scorecard/definition.ts'
import type { Contribution } from './model.ts'

type Reasons = Scorecard['reasons']

/**
 * The codes of the reasons for a score, most important first: by how far points lie on the wrong side of their baseline;
 * equal ones in the order of the scorecard. A code is named once.
 */
export function rankReasons(
  { points, atMost, withoutDifference }: Reasons,
  contributions: readonly Contribution[],
): string[] {
  const sign = points === 'belowBaseline' ? -1 : 1
  const ranked: { code: string; difference: number }[] = []
  for (const { points, baseline, reasonCode } of contributions) {
    if (baseline === null || reasonCode === null) continue
    const difference = sign * (points - baseline)
    if (difference > 0 || (withoutDifference && difference === 0))
      ranked.push({ code: reasonCode, difference })
  }
  if (ranked.length === 0) return []
  ranked.sort((a, b) => b.difference - a.difference)
  return [...new Set(ranked.map(({ code }) => code))].slice(0, atMost)
}
