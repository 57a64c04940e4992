import { z } from 'zod'

const MESSAGE =
  'must be a date, as in 2026-11-20, or a time, as in 2026-11-20T08:00:00Z; UTC unless it says its zone'

/** An instant that a client asks about; past this, as Postgres reads it. Milliseconds are the finest that it tells apart. */
export const Instant = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], MESSAGE)
  .transform((text, context) => {
    const isZoned = /(Z|[+-]\d\d:\d\d)$/.test(text) || !text.includes('T')
    const at = new Date(isZoned ? text : `${text}Z`)
    if (at.getTime() >= 0) return at.toISOString()
    context.addIssue({ code: 'custom', message: MESSAGE })
    return z.NEVER
  })
  .meta({ examples: ['2026-11-20T08:00:00Z'] })
