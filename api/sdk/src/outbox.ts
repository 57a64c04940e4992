import type { Receipt } from './api.ts'
import type { Journal, Session } from './journal.ts'
import { isTransient, post, type Refusal, settings } from './request.ts'
import { retryDelay } from './retry-delay.ts'
import { emptySegment } from './segments.ts'

/** What a page may send while it is left, in characters. */
const MAX_FLUSH = 50_000

declare function fetchLater(url: string, options: RequestInit): unknown

/** The segments of a session on their way to the server. */
export interface Outbox {
  /** Not confirmed yet, by number. */
  readonly pending: Map<number, string>
  /** Keeps a segment until it is confirmed. */
  put(n: number, segment: string): void
  /** Sends what is pending, and again after failures. Resolves after the first attempt. */
  pump(): Promise<void>
  /** Sends what is pending at once and uncompressed, as a page that is left must. */
  flush(): void
  /** Has the browser send a segment when the page ends, however that happens, in place of the one before. */
  later(n: number, segment: string | undefined): void
  /** Ends the attempts; the journal has what is pending. */
  pause(): void
}

interface Destination {
  readonly key: string
  readonly endpoint: string
}

const openUrl = ({ endpoint, key }: Destination) => `${endpoint}/open?k=${key}`

/** The request that opens the collection of a session; the same again has the same answer. */
function opening({ nonce, open }: Session, segments: readonly string[] = []): string {
  const text = JSON.stringify({ v: 1, nonce, ...open })
  return segments.length ? `${text.slice(0, -1)},"segments":[${segments}]}` : text
}

/** Erases a session on the server, unless it is a dataset already. Retries while the page lives. */
export async function withdraw(to: Destination, session: Session, failures = 0): Promise<void> {
  try {
    session.id ??= (await post<{ collection: string }>(openUrl(to), opening(session), false)).collection
    await post(`${to.endpoint}/withdraw?c=${session.id}`, '{}', false)
  } catch (error) {
    const { retryAfterSeconds = 0 } = error as Refusal
    if (isTransient(error as Refusal))
      setTimeout(() => withdraw(to, session, failures + 1), retryDelay(failures, retryAfterSeconds))
  }
}

/**
 * @param settle is called once: with the receipt of a completed session, or with the error of a server that refuses it
 * @param unconfirmed by an earlier outbox of the session
 */
export function openOutbox(
  to: Destination,
  journal: Journal,
  name: string,
  session: Session,
  settle: (result: Receipt | Refusal) => void,
  unconfirmed: Iterable<[number, string]> = [],
): Outbox {
  const { endpoint } = to
  const pending = new Map([...journal.segments(name), ...unconfirmed])
  let timer: ReturnType<typeof setTimeout> | undefined
  let deferred: AbortController | undefined
  let failures = 0
  let busy = false
  let paused = false

  // a page that ended between the two writes of a segment
  for (const n of pending.keys()) session.n = Math.max(session.n, n + 1)

  const segmentUrl = (n: number) => `${endpoint}?c=${session.id}&n=${n}`
  const completion = (last = '') =>
    post<Receipt>(
      `${endpoint}/complete?c=${session.id}`,
      `{"segments":${session.n}${last && `,"last":${last}`}}`,
      false,
    )

  function confirm(n: number): void {
    pending.delete(n)
    journal.remove(name, n)
  }

  function put(n: number, segment: string): void {
    pending.set(n, segment)
    journal.put(name, n, segment)
  }

  function opened({ collection }: { collection: string }): void {
    session.id = collection
    delete session.open
    if (!paused) journal.save(name, session)
  }

  async function send(n: number, segment: string): Promise<void> {
    try {
      await post(segmentUrl(n), segment, true)
    } catch (error) {
      const { status, code } = error as Refusal
      const empty = emptySegment(session, n, session.seen)
      if (code === 'collection_full') {
        // it can still be completed, with what it has
        session.events = Number.POSITIVE_INFINITY
        session.n = n
        for (const one of pending.keys()) confirm(one)
        return
      }
      if (status !== 400 || segment === empty) throw error
      return put(n, empty)
    }
    confirm(n)
  }

  /** @returns the receipt, if the page has called `complete()`. */
  async function deliver(): Promise<Receipt | undefined> {
    if (!session.id) opened(await post(openUrl(to), opening(session), false))
    while (!paused) {
      const [first] = pending
      if (first && !(session.done && pending.size === 1)) await send(...first)
      else if (!session.done) return undefined
      else
        try {
          return await completion(first?.[1])
        } catch (error) {
          const { missing } = error as Refusal
          if (!missing?.length) throw error
          for (const n of missing.map(Number)) if (!pending.has(n)) put(n, emptySegment(session, n, session.seen))
        }
    }
    return undefined
  }

  async function pump(): Promise<void> {
    if (busy || paused) return
    busy = true
    clearTimeout(timer)
    try {
      const receipt = await deliver()
      failures = 0
      if (receipt) settle(receipt)
    } catch (error) {
      const { retryAfterSeconds = 0 } = error as Refusal
      if (!isTransient(error as Refusal)) settle(error as Refusal)
      else if (!paused) timer = setTimeout(pump, retryDelay(failures++, retryAfterSeconds))
    }
    busy = false
  }

  return {
    pending,
    put,
    pump,
    flush() {
      let room = MAX_FLUSH
      const fitting = [...pending].filter(([, segment]) => (room -= segment.length) > 0)
      const last = session.done && fitting.at(-1)
      const ignore = () => {} // the journal has it
      if (session.id) {
        for (const [n, segment] of fitting)
          if (!last || n !== last[0]) post(segmentUrl(n), segment, false).then(() => confirm(n), ignore)
        if (session.done) completion(last ? last[1] : '').then(settle, ignore)
      } else
        post<{ collection: string }>(openUrl(to), opening(session, fitting.map(([, segment]) => segment)), false).then(
          (answer) => {
            opened(answer)
            for (const [n] of fitting) confirm(n)
          },
          ignore,
        )
    },
    later(n, segment) {
      deferred?.abort()
      if (segment === undefined) return
      deferred = new AbortController()
      const [url, body] = session.id
        ? [segmentUrl(n), segment]
        : [openUrl(to), opening(session, [...pending.values(), segment])]
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
