import { setTimeout as delay } from 'node:timers/promises'
import type { TestStack } from '../test-stack.ts'

/** An event as the feed has it, in any version. */
export interface FeedEvent {
  readonly id: string
  readonly type: string
  readonly data: { readonly referenceNumber?: string }
}

/** Reads the feed of a subscription continuously, as a backend does. */
export interface FeedReader {
  /** Reads on to the last event. @returns all events in the order in which they were read. */
  end(): Promise<FeedEvent[]>
}

/** Starts to read with a key, through the running web processes in turn. Calls that fail are repeated with the same cursor. */
export function startFeedReader(stack: TestStack, key: string): FeedReader {
  const events: FeedEvent[] = []
  let cursor: string | undefined
  let calls = 0
  let ended = false

  /** @returns whether it has read to the end. */
  async function readPage(): Promise<boolean> {
    const urls = stack.webUrls()
    const query = new URLSearchParams({ wait: ended ? '0' : '1', ...(cursor !== undefined && { cursor }) })
    const response = await fetch(`${urls[calls++ % urls.length]}/api/events/v1?${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    if (response.status === 503) throw new TypeError('it is unavailable')
    if (response.status !== 200)
      throw new Error(`The feed was answered ${response.status}: ${await response.text()}`)
    const page = (await response.json()) as { events: FeedEvent[]; cursor: string }
    events.push(...page.events)
    cursor = page.cursor
    return page.events.length === 0
  }

  const done = (async () => {
    for (;;)
      try {
        const wasEnded = ended
        if ((await readPage()) && wasEnded) return
      } catch (error) {
        if (!(error instanceof TypeError)) throw error // fetch reports connection errors as TypeError
        await delay(100)
      }
  })()
  done.catch(() => undefined) // `end` rethrows it
  return {
    async end() {
      ended = true
      await done
      return events
    },
  }
}
