import { z } from 'zod'
import { text } from '../http/text.ts'
import { InputTimestamp } from '../http/timestamp.ts'

const ScoreBound = z.coerce
  .number({ error: 'must be a number' })
  .min(-1e9)
  .max(1e9)
  .meta({ examples: [600] })

/** What people search datasets by; all that is given has to apply. */
export const searchMembers = {
  search: text(1, 100)
    .optional()
    .meta({
      description:
        'How the reference number, the client or the device begins, in either case of A to Z; of each the first 100 characters count',
      examples: ['ln-2026'],
    }),
  referenceNumber: text(1, 100)
    .optional()
    .meta({
      description: 'How the reference number begins, to the letter; the whole one is found first',
      examples: ['LN-2026-'],
    }),
  status: z
    .enum(['received', 'ready', 'invalid', 'deleted'])
    .optional()
    .meta({ description: 'Has this status', examples: ['ready'] }),
  platform: z
    .enum(['android', 'ios', 'web'])
    .optional()
    .meta({ description: 'Was captured on this platform' }),
  since: InputTimestamp.optional().meta({
    description: 'Uploaded at this instant or later; UTC where it has no zone',
  }),
  until: InputTimestamp.optional().meta({
    description: 'Uploaded before this instant; UTC where it has no zone',
  }),
  scoreCode: text(1, 200)
    .optional()
    .meta({ description: 'Has a score of this code', examples: ['app_score'] }),
  scoreFrom: ScoreBound.optional().meta({ description: 'The least score, with scoreCode' }),
  scoreTo: ScoreBound.optional().meta({ description: 'The greatest score, with scoreCode' }),
  clientId: text(1, 1_000)
    .optional()
    .meta({ description: 'As its Additional Info has it', examples: ['C-1042'] }),
  deviceId: text(1, 1_000)
    .optional()
    .meta({ description: 'As its capture has it', examples: ['5b1f6f0e-8f3c-4c1e-9f0d-2f6f1b0c7a11'] }),
  invalidCode: text(1, 100)
    .optional()
    .meta({ description: 'Code of the reason for which it is invalid', examples: ['not_gzip'] }),
  cursor: text(1, 100)
    .optional()
    .meta({ description: 'next of the page before', examples: ['LN-2026-000123'] }),
}

/** A score range is of one code, and its ends are in order. */
export function checkScoreRange(
  query: { scoreCode?: unknown; scoreFrom?: unknown; scoreTo?: unknown },
  context: z.RefinementCtx,
): void {
  const { scoreCode, scoreFrom, scoreTo } = query
  if (scoreCode === undefined && (scoreFrom !== undefined || scoreTo !== undefined))
    context.addIssue({
      code: 'custom',
      message: 'must say of which code the scores are',
      path: ['scoreCode'],
    })
  if (typeof scoreFrom === 'number' && typeof scoreTo === 'number' && scoreFrom > scoreTo)
    context.addIssue({ code: 'custom', message: 'must not be less than scoreFrom', path: ['scoreTo'] })
}

/** What people search datasets by, as the query of an address has it. */
export const DatasetSearchQuery = z.object(searchMembers).superRefine(checkScoreRange)

export type DatasetSearchQuery = z.output<typeof DatasetSearchQuery>
