import { z } from 'zod'
import { text } from '../http/text.ts'
import { InputTimestamp } from '../http/timestamp.ts'

const ScoreBound = z.coerce
  .number({ error: 'must be a number' })
  .min(-1e9)
  .max(1e9)
  .meta({ examples: [600] })

/** Filters of a dataset search; all given filters must match. */
export const searchMembers = {
  search: text(1, 100)
    .optional()
    .meta({
      description:
        'Prefix of the reference number, client or device; case-insensitive for A to Z; only their first 100 characters are compared',
      examples: ['ln-2026'],
    }),
  referenceNumber: text(1, 100)
    .optional()
    .meta({
      description: 'Prefix of the reference number, case-sensitive; an exact match comes first',
      examples: ['LN-2026-'],
    }),
  status: z
    .enum(['received', 'ready', 'invalid', 'deleted'])
    .optional()
    .meta({ description: 'Status of the dataset', examples: ['ready'] }),
  platform: z.enum(['android', 'ios', 'web']).optional().meta({ description: 'Platform of the capture' }),
  since: InputTimestamp.optional().meta({
    description: 'Uploaded at or after this time; UTC if it has no time zone',
  }),
  until: InputTimestamp.optional().meta({
    description: 'Uploaded before this time; UTC if it has no time zone',
  }),
  scoreCode: text(1, 200)
    .optional()
    .meta({ description: 'Code of a score that the dataset has', examples: ['app_score'] }),
  scoreFrom: ScoreBound.optional().meta({ description: 'Minimum score; requires scoreCode' }),
  scoreTo: ScoreBound.optional().meta({ description: 'Maximum score; requires scoreCode' }),
  clientId: text(1, 1_000)
    .optional()
    .meta({ description: 'clientId in the Additional Info', examples: ['C-1042'] }),
  deviceId: text(1, 1_000)
    .optional()
    .meta({
      description: 'Identifier of the device in the capture',
      examples: ['5b1f6f0e-8f3c-4c1e-9f0d-2f6f1b0c7a11'],
    }),
  invalidCode: text(1, 100)
    .optional()
    .meta({ description: 'Error code of an invalid dataset', examples: ['not_gzip'] }),
  cursor: text(1, 100)
    .optional()
    .meta({ description: 'next of the previous page', examples: ['LN-2026-000123'] }),
}

/** Requires scoreCode with a score range, and a range in order. */
export function checkScoreRange(
  query: { scoreCode?: unknown; scoreFrom?: unknown; scoreTo?: unknown },
  context: z.RefinementCtx,
): void {
  const { scoreCode, scoreFrom, scoreTo } = query
  if (scoreCode === undefined && (scoreFrom !== undefined || scoreTo !== undefined))
    context.addIssue({
      code: 'custom',
      message: 'is required with scoreFrom or scoreTo',
      path: ['scoreCode'],
    })
  if (typeof scoreFrom === 'number' && typeof scoreTo === 'number' && scoreFrom > scoreTo)
    context.addIssue({ code: 'custom', message: 'must be at least scoreFrom', path: ['scoreTo'] })
}

/** Query parameters of a dataset search. */
export const DatasetSearchQuery = z.object(searchMembers).superRefine(checkScoreRange)

export type DatasetSearchQuery = z.output<typeof DatasetSearchQuery>
