import { createHash } from 'node:crypto'
import type { FeedPlace } from '../../db/events/event-position.ts'

/** Of a subscription and a place: a cursor of another subscription, or one that was changed, is not taken for a place of this one. */
const checksum = (subscriptionId: number, place: string): string =>
  createHash('sha256').update(`events ${subscriptionId} ${place}`).digest('base64url').slice(0, 8)

/**
 * From this number on, what follows the position is a time in milliseconds instead of the id of an event. A version that takes it for an id reads on
 * after all events of the position, as this one does.
 */
const FIRST_TIME = 1e12

/** Returns the cursor of a place in the events of a subscription. It is no secret: a key reads the events of its own subscription only. */
export function formatCursor(subscriptionId: number, { position, id, at }: FeedPlace): string {
  const place = `${position.toString(36)}-${(at?.getTime() ?? id).toString(36)}`
  return `${place}-${checksum(subscriptionId, place)}`
}

/** Returns the place of a cursor; undefined unless this subscription got it. */
export function parseCursor(subscriptionId: number, cursor: string): FeedPlace | undefined {
  const [, place = '', first = '', second = '', check] =
    /^(([0-9a-z]{1,11})-([0-9a-z]{1,11}))-([\w-]{8})$/.exec(cursor) ?? []
  if (check !== checksum(subscriptionId, place)) return undefined
  const position = Number.parseInt(first, 36)
  const id = Number.parseInt(second, 36)
  return { position, id, ...(id >= FIRST_TIME && { at: new Date(id) }) }
}
