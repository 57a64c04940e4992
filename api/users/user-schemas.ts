import { z } from 'zod'
import { Timestamp } from '../http/timestamp.ts'

/** Role of a user. */
export const UserRole = z.enum(['admin', 'analyst']).meta({
  description: 'analyst: read datasets and insights. admin: manage keys, users and scorecards as well',
})

const UserId = z.int().meta({ description: 'Id of the user', examples: [42] })

/** Invitation of a user, from a client or the portal's form. */
export const NewUser = z
  .object({
    userEmail: z
      .email('must be an e-mail address')
      .max(320, 'must have at most 320 characters')
      .meta({
        description: 'E-mail with which the user signs in',
        examples: ['analyst@lender.example'],
      }),
    role: UserRole,
  })
  .meta({ id: 'NewUser' })

/** What becomes of the live keys that the user created. */
export const KeyDecision = z
  .enum(['keep', 'revoke'])
  .optional()
  .meta({
    description:
      'What becomes of the keys that the user created: API keys and site keys, as far as they are live. Required to disable or delete ' +
      'a user with live keys',
    examples: ['revoke'],
  })

/** Change of a user. */
export const UserChange = z
  .object({
    role: UserRole.optional(),
    disabled: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the user is disabled and cannot sign in', examples: [false] }),
    keys: KeyDecision,
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
      description: 'invited: has not set a password yet. disabled: cannot sign in',
    }),
    createdAt: Timestamp.meta({ description: 'When the user was invited or created; UTC' }),
    lastLoginAt: Timestamp.nullable().meta({ description: 'When the user last signed in; null if never' }),
    linkExpiresAt: Timestamp.nullable().meta({
      description: 'Expiry of the latest invitation link; null if there is none',
      examples: [null],
    }),
  })
  .meta({ id: 'User' })

/** Response with the token of an invitation link. */
export const InvitationLink = z
  .object({
    id: UserId,
    token: z.string().meta({
      description:
        'Token of the invitation link, which is /invitation#TOKEN at the address of the portal; cannot be shown again',
      examples: ['Qm8sT2mXe7bLd4fHg6iOaN9yCzQsZr0cPq1nA5vYw3u'],
    }),
    expiresAt: Timestamp.meta({ description: 'Expiry of the link; UTC' }),
  })
  .meta({ id: 'InvitationLink' })
