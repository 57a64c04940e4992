import { z } from 'zod'
import { overlapHours } from '../http/overlap-hours.ts'
import { Timestamp } from '../http/timestamp.ts'
import { Label } from '../keys/key-schemas.ts'
import { Origin } from './origin-schemas.ts'

const MAX_ORIGINS = 20
const MAX_PER_DAY = 10_000_000

/** How a collection gets its reference number. */
export const SiteKeyLevel = z.enum(['open', 'claimed', 'verified']).meta({
  description:
    'How a collection gets its reference number. verified: from a token that the backend requested. claimed: the backend claims the ' +
    'collection within 24 hours. open: the page gives it, so that anybody who opens the page can choose it',
})

const SiteKeyModule = z.enum(['graphics'])

const isUnique = (values: readonly string[]) => new Set(values).size === values.length

const settings = {
  label: Label.meta({ description: 'Purpose of the key; names it in records', examples: ['shop'] }),
  origins: z
    .array(Origin)
    .min(1, 'must have at least 1 origin')
    .max(MAX_ORIGINS, `must have at most ${MAX_ORIGINS} origins`)
    .refine(isUnique, 'must not repeat an origin')
    .meta({
      description:
        'Origins of the pages that may use the key, exactly as browsers send them; http:// only for localhost and 127.0.0.1. They ' +
        'stop use by other pages, not by programs, which can send any origin',
      examples: [['https://shop.example']],
    }),
  modules: z
    .array(SiteKeyModule)
    .refine(isUnique, 'must not repeat a module')
    .meta({ description: 'Optional modules of the SDK that pages may load', examples: [['graphics']] }),
  maxCollectionsPerDay: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(MAX_PER_DAY, 'must be at most 10 million')
    .meta({ description: 'Maximum number of collections per day, in UTC', examples: [10_000] }),
}

const level = SiteKeyLevel.default('claimed')

/** Creation of a site key, from a client or the portal's form. */
export const NewSiteKey = z
  .object({
    ...settings,
    level,
    modules: settings.modules.default([]),
    maxCollectionsPerDay: settings.maxCollectionsPerDay.default(10_000),
  })
  .meta({ id: 'NewSiteKey' })

/** Change of a site key; its level never changes. */
export const SiteKeyChange = z
  .object(settings)
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    message: 'must have label, origins, modules or maxCollectionsPerDay',
  })
  .meta({ id: 'SiteKeyChange' })

/** Rotation of a site key. */
export const SiteKeyRotation = z
  .object({ overlapHours: overlapHours('Hours for which the key still works beside its successor') })
  .meta({ id: 'SiteKeyRotation' })

const count = (description: string, example: number) => z.int().meta({ description, examples: [example] })

/** Use of a site key on a day. */
const SiteKeyDay = z
  .object({
    day: z.iso.date().meta({ description: 'Day in UTC', examples: ['2026-11-20'] }),
    opened: count('Collections opened', 412),
    completed: count('Collections completed', 380),
    abandoned: count('Collections that ended without being completed', 27),
    rejected: count('Requests with the key that were rejected, such as from other origins', 3),
    bytes: count('Bytes received', 18_540_000),
  })
  .meta({ id: 'SiteKeyDay' })

/** A site key with its use. */
export const SiteKey = z
  .object({
    id: z.int().meta({ description: 'Id of the key', examples: [7] }),
    key: z.string().meta({
      description: 'The key, which is public: pages contain it',
      examples: ['pk_EXAMPLE-not-a-key'],
    }),
    label: z.string().meta({ description: 'Purpose of the key', examples: ['shop'] }),
    level: SiteKeyLevel,
    origins: z
      .array(z.string())
      .meta({ description: 'Origins of its pages', examples: [['https://shop.example']] }),
    modules: z
      .array(z.string())
      .meta({ description: 'Optional modules of the SDK that its pages may load', examples: [['graphics']] }),
    maxCollectionsPerDay: count('Maximum number of collections per day, in UTC', 10_000),
    state: z.enum(['live', 'expired', 'revoked']).meta({ description: 'Only a live key opens collections' }),
    createdBy: z
      .string()
      .nullable()
      .meta({
        description: 'User or operator who created the key, as named then; null for keys from old versions',
        examples: ['admin@lender.example'],
      }),
    createdAt: Timestamp.meta({ description: 'When the key was created; UTC' }),
    expiresAt: Timestamp.nullable().meta({
      description: 'When the key expires; null unless it was rotated',
      examples: [null],
    }),
    revokedAt: Timestamp.nullable().meta({
      description: 'When the key was revoked; null if it was not',
      examples: [null],
    }),
    lastUsedOn: z.iso
      .date()
      .nullable()
      .meta({
        description: 'Last day, in UTC, on which the key opened a collection; null if never',
        examples: ['2026-11-20'],
      }),
    days: z.array(SiteKeyDay).meta({
      description:
        'Use by day for the last 30 days, oldest first, without days on which the key was not used',
    }),
  })
  .meta({ id: 'SiteKey' })
