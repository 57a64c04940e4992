import { z } from 'zod'

/** Values of the form for a new key. */
export const KeyDraft = z.object({
  label: z.string(),
  role: z.enum(['uploader', 'requester']),
  expiresInDays: z.number().exactOptional(),
})
