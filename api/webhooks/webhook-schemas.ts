import { z } from 'zod'
import { EventTypeName } from '../events/event-schemas.ts'
import { overlapHours } from '../http/overlap-hours.ts'
import { text } from '../http/text.ts'
import { InputTimestamp, Timestamp } from '../http/timestamp.ts'

const MAX_URL = 2_000

const settings = {
  url: text(1, MAX_URL)
    .refine((url) => URL.parse(url)?.username === '' && URL.parse(url)?.password === '', {
      message: 'must be a URL without user and password, such as https://backend.example/hooks',
    })
    .refine((url) => /^https?:\/\//.test(url) && !url.includes('#'), {
      message: 'must begin with https:// and have no fragment',
    })
    .meta({
      description: 'Where events are sent by POST: https://, at an address of the Internet',
      examples: ['https://backend.example/hooks'],
    }),
  label: text(1, 100)
    .refine((label) => label.trim() !== '', 'must not be blank')
    .meta({ description: 'Purpose of the webhook; names it in records', examples: ['loan backend'] }),
  types: z
    .array(EventTypeName)
    .max(50, 'must have at most 50 types')
    .refine((types) => new Set(types).size === types.length, 'must not repeat a type')
    .meta({
      description: 'Types that it receives; empty: all',
      examples: [['dataset.ready', 'dataset.invalid']],
    }),
}

/** Creation of a webhook. */
export const NewWebhook = z
  .object({ ...settings, types: settings.types.default([]) })
  .meta({ id: 'NewWebhook' })

/** Change of a webhook. */
export const WebhookChange = z
  .object({
    ...settings,
    enabled: z.boolean().meta({
      description:
        'false: delivers nothing; true: delivers events again, including those recorded while it was disabled',
      examples: [true],
    }),
  })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    message: 'must have url, label, types or enabled',
  })
  .meta({ id: 'WebhookChange' })

/** Rotation of the secret. */
export const SecretRotation = z
  .object({ overlapHours: overlapHours('Hours for which earlier secrets sign too') })
  .meta({ id: 'SecretRotation' })

/** A time whose events are delivered again. */
export const ReplayRequest = z
  .object({
    since: InputTimestamp.meta({ description: 'The first time, inclusive' }),
    until: InputTimestamp.meta({ description: 'The last time, exclusive' }),
  })
  .refine(({ since, until }) => since <= until, { path: ['until'], message: 'must not be before since' })
  .meta({ id: 'ReplayRequest' })

const at = (description: string) => Timestamp.meta({ description: `${description}; UTC` })
const maybeAt = (description: string) =>
  Timestamp.nullable().meta({ description: `${description}; UTC, null: never`, examples: [null] })

const webhook = {
  id: z.int().meta({ description: 'Id of the webhook', examples: [3] }),
  url: z.string().meta({ description: 'Where events are sent', examples: ['https://backend.example/hooks'] }),
  label: z.string().meta({ description: 'Purpose of the webhook', examples: ['loan backend'] }),
  types: z.array(EventTypeName).meta({ description: 'Types that it receives; empty: all', examples: [[]] }),
  state: z.enum(['enabled', 'failing', 'disabled']).meta({
    description: 'failing: the receiver takes nothing, and is called again at nextAttemptAt',
    examples: ['enabled'],
  }),
  disabledReason: z
    .enum(['requested', 'failing', 'gone'])
    .nullable()
    .meta({
      description:
        'requested: by an admin; failing: the receiver took nothing for three days; gone: it answered 410. null unless disabled',
      examples: [null],
    }),
  createdBy: z
    .string()
    .meta({ description: 'Name of its creator at that time', examples: ['admin@lender.example'] }),
  createdAt: at('When it was created'),
  failingSince: maybeAt('Since when nothing was delivered, although it was tried'),
  nextAttemptAt: maybeAt('When a failing receiver is called again'),
  deliveredAt: maybeAt('When an event was last delivered'),
  isReplaying: z
    .boolean()
    .meta({ description: 'Whether events are being delivered again', examples: [false] }),
  secrets: z
    .array(
      z.object({
        createdAt: at('When it was created'),
        expiresAt: maybeAt('When it stops signing'),
      }),
    )
    .meta({ description: 'Secrets that sign, newest first; a secret itself is shown once' }),
}

/** A webhook. */
export const Webhook = z.object(webhook).meta({ id: 'Webhook' })

/** A webhook with a secret that was just created. */
export const WebhookWithSecret = z
  .object({
    ...webhook,
    secret: z.string().meta({
      description: 'Verifies signatures; cannot be shown again',
      examples: ['whsec_RVhBTVBMRS1ub3QtYS1zZWNyZXQtMDAwMDAwMDAwMDA='],
    }),
  })
  .meta({ id: 'WebhookWithSecret' })

export const WebhookList = z
  .object({ items: z.array(Webhook).meta({ description: 'Webhooks, oldest first' }) })
  .meta({ id: 'WebhookList' })

export const RequestedTest = z
  .object({
    eventId: z.string().meta({
      description: 'Of the event, which the log of deliveries shows',
      examples: ['evt_0123456789ABCDEFGHIJKL'],
    }),
  })
  .meta({ id: 'RequestedTest' })

/** An attempt to deliver an event. */
export const WebhookDelivery = z
  .object({
    id: z.int().meta({ description: 'Id of the attempt', examples: [1042] }),
    at: at('When it began'),
    eventId: z.string().meta({ description: 'Id of the event', examples: ['evt_0123456789ABCDEFGHIJKL'] }),
    type: EventTypeName,
    attempt: z.int().meta({ description: 'Number of the attempt, from 1', examples: [1] }),
    outcome: z.enum(['delivered', 'failed', 'given_up']).meta({
      description: 'given_up: it failed for three days, and is not tried again',
      examples: ['delivered'],
    }),
    status: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status; null without an answer', examples: [204] }),
    answer: z
      .string()
      .meta({ description: 'First characters of the answer, or why there is none', examples: ['ok'] }),
    ms: z.int().meta({ description: 'Milliseconds until the answer', examples: [38] }),
  })
  .meta({ id: 'WebhookDelivery' })
