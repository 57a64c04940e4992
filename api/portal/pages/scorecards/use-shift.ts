import { queries } from '../../client/api.ts'
import type { Trial } from './scorecard-types.ts'

/** The shift of a version's scores. */
export interface KnownShift {
  readonly psi: number
  readonly mark: 'stable' | 'shifting' | 'shifted'
  /** Where or when it was measured. */
  readonly measured: string
}

/** The latest shift of a version: of its last day, otherwise of its last backtest; undefined if neither has one. */
export function useShift(code: string, version: string, trial: Trial | undefined): KnownShift | undefined {
  const stability = queries.useQuery('get', '/api/scorecards/v1/{code}/stability', {
    params: { path: { code }, query: { version, days: 30 } },
  })
  const day = stability.data?.items[0]
  if (day) return { psi: day.psi, mark: day.mark, measured: `on ${day.day}` }
  const shift = trial?.result?.dryRun.shift
  return shift
    ? { psi: shift.psi, mark: shift.mark, measured: 'against the champion in the backtest' }
    : undefined
}
