import { createHmac } from 'node:crypto'

/** A message as it is sent. */
export interface Message {
  /** Of the event: the same in each attempt. */
  readonly id: string
  readonly body: string
}

/**
 * Returns the headers of a message, signed with each secret.
 *
 * @param secrets `whsec_` and base64.
 * @param at of the attempt; receivers reject messages from other times.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signMessage(
  { id, body }: Message,
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'user-agent': 'Inkling-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
