import { z } from 'zod'
import { KEY_SCOPES } from '../../db/accounts/key-scopes.ts'
import { LABEL_NOT_EMAIL, looksLikeEmail } from '../../db/audit/actor.ts'
import { text } from '../http/text.ts'
import { Timestamp } from '../http/timestamp.ts'

/** Role of a key. */
const KeyRole = z.enum(['uploader', 'requester']).meta({
  description:
    'uploader: upload datasets and save Additional Info, the scope datasets:write. requester: read insights, the scope insights:read',
})

/** Scope of a key. */
export const KeyScope = z.enum(KEY_SCOPES).meta({ examples: ['datasets:read'] })

/** Scopes of a new key; repeated ones count once. */
const Scopes = z
  .array(KeyScope)
  .min(1, 'must have at least one scope')
  .max(KEY_SCOPES.length, `must have at most ${KEY_SCOPES.length} scopes`)

/** Label of a key: one line, not blank. */
export const Label = text(1, 100)
  .refine((label) => label.trim() !== '', 'must not be blank')
  .refine((label) => !/\p{Cc}/u.test(label), 'must be one line')
  .refine((label) => !looksLikeEmail(label), LABEL_NOT_EMAIL)

const Mode = z.enum(['live', 'test'])

const MAX_DAYS = 36_500

/** Days after which a key expires by default. */
export const DEFAULT_KEY_DAYS = 365

const MAX_NETWORKS = 50

/** Addresses, and networks in CIDR notation. */
export const Networks = z
  .array(
    z.union(
      [z.ipv4(), z.cidrv4(), z.ipv6(), z.cidrv6()],
      'must be an address or a network such as 203.0.113.0/24 or 2001:db8::/32',
    ),
  )
  .min(1, 'must have at least one network')
  .max(MAX_NETWORKS, `must have at most ${MAX_NETWORKS} networks`)

/** Also checks an object with other errors, so that all of them are named. */
const isObject = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null

/** Creation of a key, from a client or the portal's form. */
export const NewKey = z
  .object({
    label: Label.meta({
      description: 'Purpose of the key; names it in records',
      examples: ['loan backend'],
    }),
    role: KeyRole.exactOptional(),
    scopes: Scopes.exactOptional().meta({
      description: 'What the key may do, instead of a role; each route names the scope that it requires',
    }),
    expiresInDays: z
      .union(
        [
          z
            .int('must be a whole number of days')
            .min(1, 'must be at least 1 day')
            .max(MAX_DAYS, `must be at most ${MAX_DAYS} days`),
          z.literal('never'),
        ],
        'must be a whole number of days, or never',
      )
      .exactOptional()
      .meta({
        description: `Days until the key expires, or never; ${DEFAULT_KEY_DAYS} by default`,
        examples: [DEFAULT_KEY_DAYS],
      }),
    networks: Networks.exactOptional().meta({
      description: 'Addresses and networks that may use the key; all by default',
      examples: [['203.0.113.0/24', '2001:db8::/32']],
    }),
    mode: Mode.exactOptional().meta({
      description: 'live by default. A test key reads and writes test data only',
      examples: ['test'],
    }),
  })
  .refine(({ role, scopes }) => role !== undefined || scopes !== undefined, {
    path: ['role'],
    error: 'is required, unless the request has scopes',
    when: isObject,
  })
  .refine(({ role, scopes }) => role === undefined || scopes === undefined, {
    path: ['scopes'],
    error: 'must not be sent with a role: a key has one or the other',
    when: isObject,
  })
  .meta({
    id: 'NewKey',
    examples: [
      { label: 'loan backend', scopes: ['datasets:write', 'insights:read'], expiresInDays: DEFAULT_KEY_DAYS },
    ],
  })

const KeyId = z.int().meta({ description: 'Id of the key', examples: [41] })

/** A key in a list, without the secret. */
export const Key = z
  .object({
    id: KeyId,
    label: z
      .string()
      .nullable()
      .meta({
        description: 'Purpose of the key; null for keys from old versions',
        examples: ['loan backend'],
      }),
    role: z
      .enum([...KeyRole.options, 'custom'])
      .meta({ description: 'Role of the key; custom if it was created with scopes' }),
    scopes: z.array(KeyScope).meta({
      description: 'What the key may do: its own scopes, or those of its role',
      examples: [['datasets:write']],
    }),
    prefix: z
      .string()
      .nullable()
      .meta({
        description: 'Start of the key, to identify it; null for keys from old versions',
        examples: ['ink_AbC123'],
      }),
    state: z.enum(['live', 'expired', 'revoked']).meta({ description: 'Only a live key works' }),
    createdBy: z
      .string()
      .nullable()
      .meta({
        description: 'User or operator who created the key, as named then; null for keys from old versions',
        examples: ['admin@lender.example'],
      }),
    createdAt: Timestamp.meta({ description: 'When the key was created; UTC' }),
    expiresAt: Timestamp.nullable().meta({
      description: 'When the key expires; null if never',
      examples: [null],
    }),
    revokedAt: Timestamp.nullable().meta({
      description: 'When the key was revoked; null if it was not',
      examples: [null],
    }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When the key was last used, to the minute; null if never',
    }),
    networks: z
      .array(z.string())
      .nullable()
      .meta({
        description: 'Addresses and networks that may use the key; null if all may',
        examples: [['203.0.113.0/24']],
      }),
    mode: Mode.meta({ description: 'test: the key reads and writes test data only', examples: ['live'] }),
  })
  .meta({ id: 'Key' })

/** Response with a new key. */
export const CreatedKey = z
  .object({
    id: KeyId,
    key: z.string().meta({
      description: 'The key; it cannot be shown again',
      examples: ['ink_EXAMPLE-not-a-key'],
    }),
  })
  .meta({ id: 'CreatedKey' })
