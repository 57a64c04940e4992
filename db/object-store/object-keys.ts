/** An object by its subscription and its id, a UUID of version 7. */
export interface ObjectKey {
  readonly subscriptionId: number
  readonly id: Buffer
}

/** The day on which an object was written, in UTC, such as 2026-03-01: the beginning of its id. */
const dayOf = (id: Buffer): string => new Date(id.readUIntBE(0, 6)).toISOString().slice(0, 10)

/** The name of an object after the prefix: its day, subscription and id. Stored, so never changed. */
export const writeKey = ({ subscriptionId, id }: ObjectKey): string =>
  `${dayOf(id)}/${subscriptionId}/${id.toString('hex')}`

const KEY = /^(\d{4}-\d\d-\d\d)\/(\d{1,10})\/([\da-f]{32})$/

/** Reads the name of an object; undefined if it is none of this service. */
export function readKey(key: string): ObjectKey | undefined {
  const [, day, subscription, hex = ''] = KEY.exec(key) ?? []
  const id = Buffer.from(hex, 'hex')
  if (id.length === 0 || dayOf(id) !== day) return undefined
  return { subscriptionId: Number(subscription), id }
}
