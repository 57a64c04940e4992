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

/** Number of latest stored captures that a trial scores. */
export const Captures = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(100_000, 'must be at most 100,000')
  .default(10_000)
  .meta({ description: 'Number of latest stored captures to score' })

/** Stage transitions of a version, except rollback. */
export const StageAction = z
  .enum(['challenge', 'promote', 'retire'])
  .meta({ description: 'Stage transition of the version' })
