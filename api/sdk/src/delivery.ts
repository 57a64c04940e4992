import type { Receipt, StartOptions } from './api.ts'
import { type Pending, type Session, saveSession } from './journal.ts'
import { post, type Refusal, settings } from './request.ts'
import { retryDelay } from './retry-delay.ts'
import { emptySegment, MAX_EVENTS } from './totals.ts'
import { turn } from './turn.ts'

/** What a page sends while it is left, in characters. */
const MAX_FLUSH = 50_000

declare function fetchLater(url: string, options: RequestInit): unknown

/** The way of a session's segments to the server. */
export interface Delivery {
  /** Sends pending segments and retries after failures. Resolves after the first attempt. */
  pump(): Promise<void>
  /** Sends what is pending at once and uncompressed, as a page that is left must. */
  flush(): void
  /** Has the browser send the segment `session.n` when the page ends, however it ends; replaces the one before. */
  later(segment?: string | null): void
  /** Ends the attempts. */
  pause(): void
}

/** Statuses with which the server refuses for good: 4xx, but not 408 and 429. */
const REFUSED = /^4(?!08|29)/

/** @param settle is called once, with the receipt of a session that has ended, or the error of a server that refuses it. */
export function openDelivery(
  { endpoint, key }: StartOptions,
  name: string,
  session: Session,
  pending: Pending,
  settle: (result: Receipt | Refusal) => void,
): Delivery {
  let timer: ReturnType<typeof setTimeout> | undefined
  let deferred: AbortController | undefined
  let failures = 0
  let busy = false
  let paused = false

  function confirm(sent: Iterable<readonly [n: number, segment: string]>): void {
    for (const [n] of sent) pending.delete(n)
    if (!paused) saveSession(name, session, pending)
  }

  /** The request that opens the collection: with the same nonce it has the same answer, whatever came before. */
  const opening = (segments: readonly string[]) =>
    [
      `${endpoint}/open?k=${key}`,
      `${JSON.stringify({ v: 1, nonce: session.nonce, ...session.open }).slice(0, -1)},"segments":[${segments}]}`,
    ] as const

  const segmentUrl = (n: number) => `${endpoint}?c=${session.id}&n=${n}`

  function fitting(): [number, string][] {
    let size = 0
    return [...pending].filter(([, segment]) => {
      size += segment.length
      return size < MAX_FLUSH
    })
  }

  async function open(): Promise<void> {
    const sent = fitting()
    const answer = await post<{ collection: string }>(...opening(sent.map(([, segment]) => segment)))
    session.id = answer.collection
    confirm(sent)
  }

  async function send(entry: readonly [number, string], compress: boolean): Promise<void> {
    const [n, segment] = entry
    try {
      await post(segmentUrl(n), segment, compress)
    } catch (error) {
      const { status } = error as Refusal
      if (status === 413) {
        // the collection is full; it can be completed with what it has
        session.n = n
        session.events = MAX_EVENTS
        pending.clear()
      } else if (status !== 400) throw error
    }
    confirm([entry])
  }

  /** Completes or withdraws the collection, with its last segment. */
  const end = async () => {
    const [last] = pending.values()
    const body = `{"segments":${session.n}${last ? `,"last":${last}` : ''}}`
    settle(await post<Receipt>(`${endpoint}/${session.end}?c=${session.id}`, body))
  }

  async function pump(): Promise<void> {
    if (busy || paused || session.hold) return
    busy = true
    clearTimeout(timer)
    await turn()
    try {
      if (!session.id) await open()
      for (const entry of pending)
        if (!paused && !(session.end && pending.size === 1)) await send(entry, true)
      if (session.end && !paused) await end()
      failures = 0
    } catch (error) {
      const refused = error as Refusal
      // lost before they were stored here, as after a crash
      for (const n of refused.missing ?? [])
        if (!pending.has(+n)) pending.set(+n, JSON.stringify(emptySegment(session, +n)))
      if (REFUSED.test(`${refused.status}`) && !refused.missing) settle(refused)
      else timer = setTimeout(pump, retryDelay(failures++, refused.retryAfterSeconds))
    }
    busy = false
  }

  return {
    pump,
    flush() {
      if (session.hold) return
      // what fails is in the journal
      void Promise.allSettled(
        session.id ? [...fitting().map((entry) => send(entry, false)), session.end && end()] : [open()],
      )
    },
    later(segment) {
      deferred?.abort()
      if (!segment || session.hold) return
      deferred = new AbortController()
      const [url, body] = session.id
        ? [segmentUrl(session.n), segment]
        : opening([...pending.values(), segment])
      try {
        fetchLater(url, { ...settings(body), signal: deferred.signal })
      } catch {
        // over the browser's quota
      }
    },
    pause() {
      paused = true
      clearTimeout(timer)
    },
  }
}
