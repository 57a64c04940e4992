import { z } from 'zod'

/** Of a code. */
export const CODE_PATTERN = '^[\\w.-]{1,100}$'

export const EXAMPLE_VERSION = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** What clients read a score or a fragment by; it appears in URLs. */
export const Code = z
  .string()
  .regex(/^[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, and the marks _ . -')
  .meta({ description: 'What clients read a score or a fragment by', examples: ['app_score'] })

/** SHA-256 of a definition. */
export const Version = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits, as the list of scorecards shows them')
  .meta({ description: 'SHA-256 of the definition, in hexadecimal', examples: [EXAMPLE_VERSION] })

/** How many of the last stored captures a trial scores. */
export const Captures = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(100_000, 'must be at most 100,000')
  .default(10_000)
  .meta({ description: 'How many of the last stored captures to score' })

/** What can be done with a version, besides rolling back. */
export const StageAction = z
  .enum(['challenge', 'promote', 'retire'])
  .meta({ description: 'What to do with the version' })
