import type { components } from '../../client/openapi.d.ts'

type Schemas = components['schemas']

export type ScorecardCode = Schemas['ScorecardList']['items'][number]
export type StagedVersion = ScorecardCode['versions'][number]
export type Stage = StagedVersion['stage']
export type Trial = Schemas['ScorecardTrial']
export type TrialResult = NonNullable<Trial['result']>
export type DryRun = TrialResult['dryRun']
export type Summary = Schemas['ScorecardSummary']

/** Enough digits of a version to identify it. */
export const shortVersion = (version: string): string => version.slice(0, 12)

export const versionPath = (code: string, version: string): string =>
  `/scorecards/${encodeURIComponent(code)}/${version}`
