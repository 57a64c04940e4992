import { queries } from '../../client/api.ts'

/** How far the scores of a version have shifted, and against what. */
export interface KnownShift {
  readonly psi: number
  readonly mark: 'stable' | 'shifting' | 'shifted'
  readonly against: string
}

/** The shift of a version as far as it is known: of its last day, or of its last trial; undefined where neither has one. */
export function useShift(code: string, version: string): KnownShift | undefined {
  const path = { code }
  const stability = queries.useQuery('get', '/api/scorecards/v1/{code}/stability', {
    params: { path, query: { version, days: 30 } },
  })
  const trials = queries.useQuery('get', '/api/scorecards/v1/{code}/trials', {
    params: { path, query: { version } },
  })
  const day = stability.data?.items[0]
  if (day) return { psi: day.psi, mark: day.mark, against: `on ${day.day}` }
  const shift = trials.data?.items[0]?.result?.dryRun.shift
  return shift
    ? { psi: shift.psi, mark: shift.mark, against: 'against the champion in its trial' }
    : undefined
}
