import { z } from 'zod'

const MAX_OVERLAP_HOURS = 720

/** Hours for which what is replaced stays valid: a whole number up to 720, 24 by default. */
export const overlapHours = (description: string) =>
  z
    .int('must be a whole number of hours')
    .min(0, 'must be at least 0')
    .max(MAX_OVERLAP_HOURS, `must be at most ${MAX_OVERLAP_HOURS}`)
    .default(24)
    .meta({ description, examples: [24] })
