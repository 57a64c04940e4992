import { z } from 'zod'
import { parseTimestamp } from './parse-timestamp.ts'

/** A timestamp in a response. @see the interface document: six fractional digits, no zone, UTC */
export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
  .meta({
    description: 'UTC, six fractional digits, no zone designator',
    examples: ['2026-11-20T08:15:30.123456'],
  })

/** Formats a date as a `Timestamp`; a `Date` has millisecond precision. */
export const presentTimestamp = (at: Date): string => at.toISOString().replace('Z', '000')

const MESSAGE =
  'must be a date such as 2026-11-20 or a time such as 2026-11-20T08:00:00Z; UTC unless it has a time zone'

/** A date or time in a request, transformed to ISO 8601 in UTC with millisecond precision. */
export const InputTimestamp = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], MESSAGE)
  .meta({ examples: ['2026-11-20T08:00:00Z'] }) // of the input: before the transform
  .transform((text, context) => {
    const at = parseTimestamp(text)
    if (at.getTime() >= 0) return at.toISOString()
    context.addIssue({ code: 'custom', message: MESSAGE })
    return z.NEVER
  })
