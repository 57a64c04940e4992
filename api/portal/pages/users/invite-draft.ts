import { z } from 'zod'

/** Values of the invitation form. */
export const InviteDraft = z.object({ userEmail: z.string(), role: z.enum(['analyst', 'admin']) })
