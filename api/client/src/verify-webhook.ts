import { createHmac, timingSafeEqual } from 'node:crypto'
import { WebhookError } from './errors.ts'
import type { InklingEvent } from './event-types.ts'

/** Headers as Node.js, Express, Koa, Fetch and others have them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be from now, in seconds; 300 by default. */
  readonly toleranceSeconds?: number
  /** Milliseconds since 1970; by default, now. */
  readonly now?: number
}

/** Signatures that are compared, so that a long header costs little. */
const MAX_SIGNATURES = 16

/**
 * Verifies that the service sent this webhook, by one of the secrets (`whsec_…`) of its endpoint, and returns its event. During a
 * rotation pass both secrets. Store the ids of handled events: a webhook may arrive more than once.
 *
 * @param rawBody the body as it arrived, before any parser
 * @throws WebhookError for any other request.
 * @throws TypeError if a secret is not `whsec_` and base64.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): InklingEvent {
  const keys = [secrets].flat().map(parseSecret)
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')

  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('invalid_timestamp', 'webhook-timestamp is not a number of seconds')
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError(
      'timestamp_out_of_tolerance',
      `webhook-timestamp differs from the clock of this machine by more than ${toleranceSeconds} s`,
    )
  const given = signatures
    .split(' ', MAX_SIGNATURES)
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice(3), 'base64'))
  const expected = keys.map((key) =>
    createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest(),
  )
  if (!given.some((one) => expected.some((other) => isSame(one, other))))
    throw new WebhookError('invalid_signature', 'No signature is of these secrets and this body')
  return { ...parseBody(rawBody), id }
}

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

function parseSecret(secret: string): Buffer {
  const [, base64 = ''] = /^whsec_([\w+/-]+={0,2})$/.exec(secret) ?? []
  if (base64 === '') throw new TypeError('A secret is whsec_ and base64')
  return Buffer.from(base64, 'base64')
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  if (typeof value !== 'string' || value === '')
    throw new WebhookError('missing_header', `${name} is missing`)
  return value
}

function parseBody(rawBody: string | Uint8Array): InklingEvent {
  try {
    return JSON.parse(typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody))
  } catch {
    throw new WebhookError('invalid_body', 'The body is not JSON')
  }
}
