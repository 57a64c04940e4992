import { z } from 'zod'
import { type FeedPlace, FIRST_POSITION } from '../../db/events/event-position.ts'
import { publicEventId } from '../../db/events/public-event-id.ts'
import {
  findLatest,
  findPlace,
  readEvents,
  type EventPage as StoredPage,
} from '../../db/events/read-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { formatCursor, parseCursor } from './event-cursor.ts'
import { EventPage, EventTypeName } from './event-schemas.ts'
import { openEventWaiter } from './event-waiter.ts'

const MAX_WAIT_SECONDS = 30

const Types = z.array(EventTypeName).max(50)

const Query = z.object({
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({
      description:
        'cursor of the previous response; omit it to begin with the oldest event that is kept; `latest`: with events from now on',
      examples: ['latest'],
    }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(100)
    .meta({
      ...{ type: 'integer', minimum: 1, maximum: 1_000 },
      description: 'Maximum number of events',
    }),
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .default(0)
    .meta({
      ...{ type: 'integer', minimum: 0, maximum: MAX_WAIT_SECONDS },
      description: 'Seconds to wait for an event if there is none',
    }),
  types: z
    .union([EventTypeName.transform((type) => [type]), Types])
    .default([])
    .meta({
      description: 'Only events of these types; repeat it for several',
      examples: [['dataset.ready']],
    }),
})

export function feed(db: Db) {
  const waiter = openEventWaiter(db)

  async function findBeginning(subscriptionId: number, cursor: string | undefined): Promise<FeedPlace> {
    if (cursor === undefined) return FIRST_POSITION
    if (cursor === 'latest') return findLatest(db, subscriptionId)
    const read = parseCursor(subscriptionId, cursor)
    if (!read) throw invalidCursor('must be the cursor of a response to your subscription, or `latest`')
    const place = await findPlace(db, subscriptionId, read)
    if (!place)
      throw invalidCursor(
        'is older than the events that are kept: omit it to read all that are, and compare by other requests what is missing',
      )
    return place
  }

  return endpoint({
    method: 'get',
    path: '/api/events/v1',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'Lists the events of the subscription, in order',
    description:
      'A resumable feed: send `cursor` of each response with the next request. No event is skipped, and those of one dataset are in order. ' +
      'Events are recorded from the moment when the subscription first has a webhook or an API key with this scope, and kept for 30 days. ' +
      `With \`wait\`, the response comes when there is an event, or after so many seconds.`,
    credential: { kind: 'key', scope: 'events:read' },
    query: Query,
    response: { status: 200, description: 'Events, and the cursor of the next request', schema: EventPage },
    problems: ['validation_failed'],
    waitMs: MAX_WAIT_SECONDS * 1_000,
    async act({ caller: { subscriptionId }, query: { cursor, limit, wait, types } }) {
      const endsAt = performance.now() + wait * 1_000
      let after = await findBeginning(subscriptionId, cursor)
      for (;;) {
        const page = await readEvents(db, subscriptionId, { after, limit, types })
        after = page.next
        if (page.events.length > 0 || page.hasMore || performance.now() >= endsAt)
          return present(subscriptionId, page)
        await waiter.wait(subscriptionId, after, endsAt)
      }
    },
  })
}

const invalidCursor = (message: string) => new Problem('validation_failed', { errors: { cursor: [message] } })

const present = (subscriptionId: number, { events, next, hasMore }: StoredPage) => ({
  events: events.map(({ publicId, type, at, data }) => ({
    ...{ id: publicEventId(publicId), type, timestamp: at.toISOString(), data },
  })),
  cursor: formatCursor(subscriptionId, next),
  hasMore,
})
