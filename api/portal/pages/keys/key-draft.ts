import { z } from 'zod'

/** What is typed into the form of a new key. */
export const KeyDraft = z.object({
  label: z.string(),
  role: z.enum(['uploader', 'requester']),
  expiresInDays: z.number().exactOptional(),
})
