import { z } from 'zod'
import { text } from '../http/text.ts'
import { Timestamp } from '../http/timestamp.ts'

/** What a key may do. */
const KeyRole = z.enum(['uploader', 'requester']).meta({
  description: 'uploader: upload datasets and save Additional Info. requester: read insights',
})

const Label = text(1, 100)
  .refine((label) => label.trim() !== '', 'must not be blank')
  .refine((label) => !/\p{Cc}/u.test(label), 'must be one line')

const MAX_DAYS = 36_500

/** A key to be made, as a client or the form of the portal asks for it. */
export const NewKey = z
  .object({
    label: Label.meta({
      description: 'What it is for; records name the key by it',
      examples: ['loan backend'],
    }),
    role: KeyRole,
    expiresInDays: z
      .int('must be a whole number of days')
      .min(1, 'must be at least 1 day')
      .max(MAX_DAYS, `must be at most ${MAX_DAYS} days`)
      .optional()
      .meta({ description: 'It ends so many days from now; by default never', examples: [365] }),
  })
  .meta({ id: 'NewKey' })

/** The id of a key, as the list shows it. */
const KeyId = z.int().meta({ description: 'Id of the key', examples: [41] })

/** A key in a list: never the key itself. */
export const Key = z
  .object({
    id: KeyId,
    label: z
      .string()
      .nullable()
      .meta({ description: 'What it is for; null for an old one', examples: ['loan backend'] }),
    role: KeyRole,
    prefix: z
      .string()
      .nullable()
      .meta({
        description: 'How the key begins, to tell keys apart; null for an old one',
        examples: ['ink_AbC123'],
      }),
    state: z.enum(['live', 'expired', 'revoked']).meta({ description: 'Only a live key works' }),
    createdAt: Timestamp.meta({ description: 'When it was made; UTC' }),
    expiresAt: Timestamp.nullable().meta({ description: 'When it ends; null: never', examples: [null] }),
    revokedAt: Timestamp.nullable().meta({
      description: 'When it was revoked; null: it was not',
      examples: [null],
    }),
    lastUsedAt: Timestamp.nullable().meta({ description: 'When it last let somebody in, to the minute' }),
  })
  .meta({ id: 'Key' })

/** The one answer that holds a key. */
export const CreatedKey = z
  .object({
    id: KeyId,
    key: z.string().meta({
      description: 'The key; it cannot be shown again',
      examples: ['ink_EXAMPLE-not-a-key'],
    }),
  })
  .meta({ id: 'CreatedKey' })
