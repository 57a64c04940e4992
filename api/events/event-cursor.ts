import { createHash } from 'node:crypto'
import type { FeedPlace } from '../../db/events/event-position.ts'

/** Of a subscription and a place: a cursor of another subscription, or one that was changed, is not taken for a place of this one. */
const checksum = (subscriptionId: number, place: string): string =>
  createHash('sha256').update(`events ${subscriptionId} ${place}`).digest('base64url').slice(0, 8)

/** Returns the cursor of a place in the events of a subscription. It is no secret: a key reads the events of its own subscription only. */
export function formatCursor(subscriptionId: number, { position, id, at }: FeedPlace): string {
  const numbers = [position, id, ...(at ? [at.getTime()] : [])]
  const place = numbers.map((number) => number.toString(36)).join('-')
  return `${place}-${checksum(subscriptionId, place)}`
}

/** Returns the place of a cursor; undefined unless this subscription got it. */
export function parseCursor(subscriptionId: number, cursor: string): FeedPlace | undefined {
  const [, place = '', check] = /^((?:[0-9a-z]{1,11}-){1,2}[0-9a-z]{1,11})-([\w-]{8})$/.exec(cursor) ?? []
  if (check !== checksum(subscriptionId, place)) return undefined
  const [position = 0, id = 0, at] = place.split('-').map((part) => Number.parseInt(part, 36))
  return { position, id, ...(at !== undefined && { at: new Date(at) }) }
}
