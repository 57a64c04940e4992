import { z } from 'zod'
import { TrialResult } from '../../db/scorecards/definition/trial-result.ts'
import type { StageChange } from '../../db/scorecards/scorecard-stages.ts'
import type { Trial as StoredTrial } from '../../db/scorecards/scorecard-trials.ts'
import { NextCursor } from '../http/paging.ts'
import { Timestamp } from '../http/timestamp.ts'
import { Code, Version } from './scorecard-schemas.ts'

const Stage = z.enum(['draft', 'challenger', 'champion', 'retired']).meta({
  description:
    'champion: its scores are returned; challenger: scores in shadow; draft and retired: does not score',
  examples: ['champion'],
})

const TrialState = z
  .enum(['waiting', 'running', 'done', 'failed'])
  .meta({ description: 'State of the trial', examples: ['done'] })

const TrialId = z.int().meta({ description: 'Id of the trial', examples: [17] })

/** Summary of a trial, for lists. */
const TrialSummary = z
  .object({
    id: TrialId,
    state: TrialState,
    rows: z
      .int()
      .nullable()
      .meta({
        description: 'Verification rows of the definition; null until the trial is done',
        examples: [3],
      }),
    matched: z
      .int()
      .nullable()
      .meta({
        description: 'Rows with the result that the definition expects; null until the trial is done',
        examples: [3],
      }),
  })
  .meta({ id: 'ScorecardTrialSummary', description: 'Summary of a trial' })

/** Why and since when the scores of a version are absent. */
const Suspension = z
  .object({
    since: Timestamp.meta({ description: 'Since when; UTC' }),
    because: z.enum(['slow', 'died']).meta({
      description:
        'slow: scoring one dataset took more than 50 ms; died: worker processes ended while they scored with it',
    }),
  })
  .meta({ id: 'ScorecardSuspension', description: 'Suspension of a version' })

/** A version of a scorecard under a code. */
const StagedVersion = z
  .object({
    version: Version,
    stage: Stage,
    since: Timestamp.meta({ description: 'Since when it has this stage; UTC' }),
    name: z.string().meta({ description: 'Name of the scorecard', examples: ['Application score'] }),
    platforms: z
      .array(z.string())
      .meta({ description: 'Platforms whose datasets are scored', examples: [['android', 'ios']] }),
    kinds: z
      .array(z.string())
      .meta({ description: 'Kinds of the models: points, pmml, trees', examples: [['points']] }),
    replaced: Version.nullable().meta({
      description: 'The champion that it replaced, which a rollback restores; null for none',
      examples: [null],
    }),
    suspended: Suspension.nullable().meta({
      description: 'Its suspension: its scores are absent, with the reason model_suspended; null for none',
      examples: [null],
    }),
    trial: TrialSummary.nullable().meta({ description: 'The latest trial; null for none' }),
  })
  .meta({ id: 'ScorecardVersion', description: 'A version of a scorecard under a code' })

export const ScorecardList = z
  .object({
    items: z
      .array(
        z
          .object({
            code: Code,
            versions: z
              .array(StagedVersion)
              .meta({ description: 'Champion, challenger, drafts, retired; newest first' }),
          })
          .meta({ id: 'ScorecardVersions', description: 'A code and its versions' }),
      )
      .meta({ description: 'Codes in alphabetical order' }),
    next: NextCursor,
  })
  .meta({ id: 'ScorecardList' })

export const Trial = z
  .object({
    id: TrialId,
    code: Code,
    version: Version,
    askedBy: z
      .string()
      .meta({ description: 'E-mail of the user who requested the trial', examples: ['ann@lender.example'] }),
    askedAt: Timestamp.meta({ description: 'When the trial was requested; UTC' }),
    endedAt: Timestamp.nullable().meta({ description: 'When the trial ended; null until then' }),
    captures: z.int().meta({ description: 'Maximum number of captures, newest first', examples: [10_000] }),
    state: TrialState,
    progress: z.int().meta({ description: 'Captures scored so far', examples: [10_000] }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why the trial failed; null if it did not', examples: [null] }),
    result: TrialResult.nullable().meta({ description: 'Result; null until the trial is done' }),
  })
  .meta({ id: 'ScorecardTrial' })

export const presentTrial = ({ result, ...trial }: StoredTrial): z.output<typeof Trial> => ({
  ...trial,
  result: result === null ? null : JSON.parse(result), // written by a worker with this type
})

export const StageChangeResponse = z
  .object({
    code: Code,
    version: Version.meta({ description: 'The version with a new stage' }),
    replaced: Version.nullable().meta({
      description: 'The version that it replaced; null for none',
      examples: [null],
    }),
  })
  .meta({ id: 'StageChange' })

export const presentChange = ({ code, version, replaced }: StageChange) => ({ code, version, replaced })
