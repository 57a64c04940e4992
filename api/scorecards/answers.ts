import { z } from 'zod'
import { TrialResult } from '../../db/scorecard/trial-result.ts'
import type { StageChange } from '../../db/scorecard-stages.ts'
import type { Trial as StoredTrial } from '../../db/scorecard-trials.ts'
import { Timestamp } from '../http/timestamp.ts'
import { Code, Version } from './scorecard-schemas.ts'

export const Stage = z.enum(['draft', 'challenger', 'champion', 'retired'])

const TrialState = z.enum(['waiting', 'running', 'done', 'failed'])

/** A trial in short: what a list needs to say of it. */
export const TrialSummary = z.object({
  id: z.int(),
  state: TrialState,
  rows: z
    .int()
    .nullable()
    .meta({ description: 'Verification rows of the definition; null until it is done' }),
  matched: z.int().nullable(),
})

/** A version under a code. */
export const StagedVersion = z.object({
  version: Version,
  stage: Stage,
  since: Timestamp.meta({ description: 'When it came to this stage; UTC' }),
  name: z.string(),
  platforms: z.array(z.string()),
  kinds: z.array(z.string()).meta({ description: 'Of its models: points, pmml, trees' }),
  replaced: Version.nullable().meta({
    description: 'The champion that it replaced, which rolling back brings back',
  }),
  trial: TrialSummary.nullable().meta({ description: 'The last one' }),
})

export const ScorecardList = z
  .object({
    items: z.array(
      z.object({
        code: Code,
        versions: z
          .array(StagedVersion)
          .meta({ description: 'Champion, challenger, drafts, retired; newest first' }),
      }),
    ),
    next: z.string().nullable(),
  })
  .meta({ id: 'ScorecardList' })

export const Trial = z
  .object({
    id: z.int(),
    code: Code,
    version: Version,
    askedBy: z.string(),
    askedAt: Timestamp,
    endedAt: Timestamp.nullable(),
    captures: z.int().meta({ description: 'Captures at most, the newest ones' }),
    state: TrialState,
    progress: z.int().meta({ description: 'Captures scored so far' }),
    error: z.string().nullable().meta({ description: 'Why it failed' }),
    result: TrialResult.nullable().meta({ description: 'Null until it is done' }),
  })
  .meta({ id: 'ScorecardTrial' })

export const presentTrial = ({ result, ...trial }: StoredTrial): z.output<typeof Trial> => ({
  ...trial,
  result: result === null ? null : JSON.parse(result), // written by a worker, as its type says
})

export const StageChangeAnswer = z
  .object({
    code: Code,
    version: Version.meta({ description: 'That is in its new stage now' }),
    replaced: Version.nullable().meta({ description: 'Whose place it took' }),
  })
  .meta({ id: 'StageChange' })

export const presentChange = ({ code, version, replaced }: StageChange) => ({ code, version, replaced })
