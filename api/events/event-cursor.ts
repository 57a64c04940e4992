import { createHash } from 'node:crypto'
import type { EventPosition } from '../../db/events/event-position.ts'

/** Of a subscription and a place: a cursor of another subscription, or one that was changed, is not taken for a place of this one. */
const checksum = (subscriptionId: number, place: string): string =>
  createHash('sha256').update(`events ${subscriptionId} ${place}`).digest('base64url').slice(0, 8)

/** Returns the cursor of a place in the events of a subscription. It is no secret: a key reads the events of its own subscription only. */
export function formatCursor(subscriptionId: number, { position, id }: EventPosition): string {
  const place = `${position.toString(36)}-${id.toString(36)}`
  return `${place}-${checksum(subscriptionId, place)}`
}

/** Returns the place of a cursor; undefined unless this subscription got it. */
export function parseCursor(subscriptionId: number, cursor: string): EventPosition | undefined {
  const [, place = '', position = '', id = '', check] =
    /^(([0-9a-z]{1,11})-([0-9a-z]{1,11}))-([\w-]{8})$/.exec(cursor) ?? []
  if (check !== checksum(subscriptionId, place)) return undefined
  return { position: Number.parseInt(position, 36), id: Number.parseInt(id, 36) }
}
