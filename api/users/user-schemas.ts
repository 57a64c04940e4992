import { z } from 'zod'
import { Timestamp } from '../http/timestamp.ts'

/** What a user may do. */
export const UserRole = z.enum(['admin', 'analyst']).meta({
  description: 'analyst: read datasets and insights. admin: manage keys, users and scorecards as well',
})

/** A user to be invited, as a client or the form of the portal asks for it. */
export const NewUser = z
  .object({
    userEmail: z
      .email('must be an e-mail address')
      .max(320, 'must have at most 320 characters')
      .meta({ examples: ['analyst@lender.example'] }),
    role: UserRole,
  })
  .meta({ id: 'NewUser' })

/** What changes of a user. */
export const UserChange = z
  .object({ role: UserRole.optional(), disabled: z.boolean().optional() })
  .refine(({ role, disabled }) => role !== undefined || disabled !== undefined, {
    message: 'must have role or disabled',
  })
  .meta({ id: 'UserChange' })

/** A user in a list. */
export const UserItem = z
  .object({
    id: z.int(),
    userEmail: z.string(),
    role: UserRole,
    state: z.enum(['active', 'invited', 'disabled']).meta({
      description: 'invited: has not set a password yet. disabled: cannot log in',
    }),
    createdAt: Timestamp,
    lastLoginAt: Timestamp.nullable().meta({ description: 'null: never' }),
    linkExpiresAt: Timestamp.nullable().meta({
      description: 'Until when the newest link to set a password works; null: there is none',
    }),
  })
  .meta({ id: 'User' })

/** The one answer that holds the token of a link to set a password. */
export const InvitationLink = z
  .object({
    id: z.int().meta({ description: 'Of the user' }),
    token: z.string().meta({
      description:
        'The link is /invitation#TOKEN at the address of the portal; the token cannot be shown again',
    }),
    expiresAt: Timestamp,
  })
  .meta({ id: 'InvitationLink' })
