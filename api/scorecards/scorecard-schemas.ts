import { z } from 'zod'

/** Pattern of a code. */
export const CODE_PATTERN = '^[\\w.-]{1,100}$'

export const EXAMPLE_VERSION = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** Code of a score or fragment, used by clients and in URLs. */
export const Code = z
  .string()
  .regex(/^[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, _, . or -')
  .meta({ description: 'Code of a score or fragment', examples: ['app_score'] })

/** SHA-256 of a definition. */
export const Version = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits, as in the list of scorecards')
  .meta({ description: 'SHA-256 of the definition, in hexadecimal', examples: [EXAMPLE_VERSION] })

/** Members of a score. */
export const SCORE_MEMBERS = {
  value: z
    .int()
    .nullable()
    .meta({ description: 'Score; null where it could not be computed', examples: [612] }),
  probability: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: 'Probability of default, 4 decimals', examples: [0.0731] }),
}

/** Members of a reason. */
export const REASON_MEMBERS = {
  code: z.string().meta({ description: 'Code of the reason in the definition', examples: ['R07'] }),
  text: z
    .string()
    .nullable()
    .meta({
      description: 'Text of the reason; null where there is none',
      examples: ['Many recent installs'],
    }),
}

/** Number of latest stored captures that a trial scores. */
export const Captures = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(100_000, 'must be at most 100,000')
  .default(10_000)
  .meta({ description: 'Number of latest stored captures to score' })

/** Stage transitions of a version, except rollback. */
export const StageAction = z
  .enum(['challenge', 'promote', 'retire', 'resume'])
  .meta({ description: 'Stage transition of the version; resume ends its suspension and keeps its stage' })
