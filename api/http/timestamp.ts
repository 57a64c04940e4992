import { z } from 'zod'

/** @see the interface document: six fractional digits, no zone, UTC */
export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
  .meta({
    description: 'UTC, six fractional digits, no zone designator',
    examples: ['2026-11-20T08:15:30.123456'],
  })

/** An instant as `Timestamp` has it; a `Date` knows milliseconds only. */
export const presentTimestamp = (at: Date): string => at.toISOString().replace('Z', '000')
