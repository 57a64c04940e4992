import type { Schemas } from './api-types.ts'

type Event = Schemas['Event']

/** Types of events; later versions may add types. */
export type InklingEventType = Event['type'] | (string & {})

/**
 * An event of the subscription: an item of the feed, or a webhook. `id` is unique: an event that arrives again has the same. `data` of
 * an event of a dataset has `referenceNumber`.
 */
export type InklingEvent = Readonly<Omit<Event, 'type'>> & { readonly type: InklingEventType }
