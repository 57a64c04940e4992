import { z } from 'zod'

/** What clients read a score or a fragment by; it appears in URLs. */
export const Code = z
  .string()
  .regex(/^[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, and the marks _ . -')
  .meta({ description: 'What clients read a score or a fragment by', examples: ['app_score'] })

/** SHA-256 of a definition. */
export const Version = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits, as the list of scorecards shows them')
  .meta({ description: 'SHA-256 of the definition, in hexadecimal' })

/** How many of the last stored captures a trial scores. */
export const Captures = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(100_000, 'must be at most 100,000')
  .default(10_000)
  .meta({ description: 'How many of the last stored captures to score' })

/** What can be done with a version, besides rolling back. */
export const StageAction = z.enum(['challenge', 'promote', 'retire'])
