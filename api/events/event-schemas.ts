import { z } from 'zod'
import { EVENT_TYPES, type EventType } from '../../db/events/event-types.ts'

const TYPES = Object.keys(EVENT_TYPES) as [EventType, ...EventType[]] // Object.keys returns string[]

/** A type of events. */
export const EventTypeName = z.enum(TYPES).meta({
  description: TYPES.map((type) => `\`${type}\`: ${EVENT_TYPES[type]}`).join('. '),
  examples: ['dataset.ready'],
})

/** Data of an event, as far as its type has them. */
const EventData = z
  .looseObject({
    referenceNumber: z
      .string()
      .optional()
      .meta({ description: 'Of the dataset, in events about one', examples: ['LN-2026-000042'] }),
    code: z
      .string()
      .optional()
      .meta({
        description:
          'In `dataset.invalid`, why the data could not be decoded; in `scorecard.promoted` and `alert.score_drift`, the code of the scorecard',
        examples: ['capture_invalid'],
      }),
  })
  .meta({
    description: 'What happened; further members may be added',
    examples: [{ referenceNumber: 'LN-2026-000042' }],
  })

/** Members of an event, also as the body of a webhook. */
const members = {
  type: EventTypeName,
  timestamp: z.iso
    .datetime()
    .meta({ description: 'When it happened, in UTC', examples: ['2026-11-20T08:15:30.123Z'] }),
  data: EventData,
}

/** An event of the feed. */
const FeedEvent = z
  .object({
    id: z.string().meta({
      description: 'Identifies the event, in the feed and as `webhook-id`: drop repeats by it',
      examples: ['evt_0123456789ABCDEFGHIJKL'],
    }),
    ...members,
  })
  .meta({ id: 'Event' })

/** The body of a webhook. */
export const WebhookMessage = z.object(members).meta({ id: 'WebhookMessage' })

export const EventPage = z
  .object({
    events: z.array(FeedEvent).meta({ description: 'Events in order' }),
    cursor: z.string().meta({
      description: 'Cursor of the next request; store it with the results of your processing',
      examples: ['2tq-1a-n4bQ9xZk'],
    }),
    hasMore: z.boolean().meta({ description: 'Whether more events can be read at once', examples: [false] }),
  })
  .meta({ id: 'EventPage' })
