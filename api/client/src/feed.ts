import type { Answer } from './api-types.ts'
import type { InklingEvent, InklingEventType } from './event-types.ts'
import type { CallOptions, Transport } from './transport.ts'

export interface FeedOptions extends CallOptions {
  /** Where to resume: the `cursor` of an earlier feed, or `latest` for events from now on. By default, from the first event kept. */
  readonly cursor?: string | undefined
  /** Types of events; all by default. */
  readonly types?: readonly InklingEventType[] | undefined
  /** Time that the service waits for the next event, 0 to 30 seconds; 30 by default. With 0 the feed ends after the last event. */
  readonly waitSeconds?: number | undefined
  /** Events of one response, 1 to 1,000; 100 by default. */
  readonly limit?: number | undefined
}

/** The events of a subscription in their order, to iterate once. */
export interface Feed extends AsyncIterable<InklingEvent> {
  /**
   * Where to resume once the last returned event is handled: store it after each event. Within a response it stays at the
   * beginning, so that a feed resumed there may return up to `limit` events again.
   */
  readonly cursor: string | undefined
}

/** Iterates over events. Without `timeoutMs`, an unavailable service is called again until `signal` is aborted, which ends the feed. */
export function openFeed(call: Transport, options: FeedOptions = {}): Feed {
  const { signal, timeoutMs = Number.POSITIVE_INFINITY, types, limit = 100, waitSeconds = 30 } = options
  let { cursor } = options

  async function* iterate(): AsyncGenerator<InklingEvent, void, undefined> {
    for (;;) {
      if (signal?.aborted) return
      const page = await call<Answer<'listEvents'>>({
        path: '/api/events/v1',
        query: { cursor, limit, wait: waitSeconds, types },
        waitMs: waitSeconds * 1_000,
        maxRetries: Number.POSITIVE_INFINITY,
        timeoutMs,
        signal,
      }).catch((error: unknown) => {
        if (signal?.aborted) return undefined
        throw error
      })
      if (!page) return
      for (const [at, event] of page.events.entries()) {
        if (at === page.events.length - 1) cursor = page.cursor
        yield event
        if (signal?.aborted) return
      }
      cursor = page.cursor
      if (waitSeconds === 0 && !page.hasMore) return
    }
  }
  return {
    get cursor() {
      return cursor
    },
    [Symbol.asyncIterator]: iterate,
  }
}
