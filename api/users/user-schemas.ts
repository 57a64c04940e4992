import { z } from 'zod'
import { Timestamp } from '../http/timestamp.ts'

/** What a user may do. */
export const UserRole = z.enum(['admin', 'analyst']).meta({
  description: 'analyst: read datasets and insights. admin: manage keys, users and scorecards as well',
})

/** The id of a user, as the list shows it. */
const UserId = z.int().meta({ description: 'Id of the user', examples: [42] })

/** A user to be invited, as a client or the form of the portal asks for it. */
export const NewUser = z
  .object({
    userEmail: z
      .email('must be an e-mail address')
      .max(320, 'must have at most 320 characters')
      .meta({
        description: 'E-mail of the user, by which they log in',
        examples: ['analyst@lender.example'],
      }),
    role: UserRole,
  })
  .meta({ id: 'NewUser' })

/** What changes of a user. */
export const UserChange = z
  .object({
    role: UserRole.optional(),
    disabled: z
      .boolean()
      .optional()
      .meta({ description: 'true: cannot log in', examples: [false] }),
  })
  .refine(({ role, disabled }) => role !== undefined || disabled !== undefined, {
    message: 'must have role or disabled',
  })
  .meta({ id: 'UserChange' })

/** A user in a list. */
export const UserItem = z
  .object({
    id: UserId,
    userEmail: z.string().meta({ description: 'E-mail of the user', examples: ['analyst@lender.example'] }),
    role: UserRole,
    state: z.enum(['active', 'invited', 'disabled']).meta({
      description: 'invited: has not set a password yet. disabled: cannot log in',
    }),
    createdAt: Timestamp.meta({ description: 'When the user was invited or made; UTC' }),
    lastLoginAt: Timestamp.nullable().meta({ description: 'When the user last logged in; null: never' }),
    linkExpiresAt: Timestamp.nullable().meta({
      description: 'Until when the newest link to set a password works; null: there is none',
      examples: [null],
    }),
  })
  .meta({ id: 'User' })

/** The one answer that holds the token of a link to set a password. */
export const InvitationLink = z
  .object({
    id: UserId,
    token: z.string().meta({
      description:
        'The link is /invitation#TOKEN at the address of the portal; the token cannot be shown again',
      examples: ['Qm8sT2mXe7bLd4fHg6iOaN9yCzQsZr0cPq1nA5vYw3u'],
    }),
    expiresAt: Timestamp.meta({ description: 'Until when the link works; UTC' }),
  })
  .meta({ id: 'InvitationLink' })
