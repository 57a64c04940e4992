import { z } from 'zod'

/** What is typed into the form of an invitation. */
export const InviteDraft = z.object({ userEmail: z.string(), role: z.enum(['analyst', 'admin']) })
