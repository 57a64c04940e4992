import { z } from 'zod'
import { readInstant } from './read-instant.ts'

const MESSAGE =
  'must be a date, as in 2026-11-20, or a time, as in 2026-11-20T08:00:00Z; UTC unless it says its zone'

/** An instant that a client asks about; past this, as Postgres reads it. Milliseconds are the finest that it tells apart. */
export const Instant = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], MESSAGE)
  .meta({ examples: ['2026-11-20T08:00:00Z'] }) // of the input: before the transform
  .transform((text, context) => {
    const at = readInstant(text)
    if (at.getTime() >= 0) return at.toISOString()
    context.addIssue({ code: 'custom', message: MESSAGE })
    return z.NEVER
  })
