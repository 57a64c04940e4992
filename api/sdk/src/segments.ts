import type { Session } from './journal.ts'
import type { CaptureEvent, Facts, Field, Segment, View } from './wire.ts'

/** A segment is sealed at this many characters of events. */
export const SEAL_CHARACTERS = 16_000
/** The server accepts no more events in a collection. */
const MAX_EVENTS = 50_000
/** Events further apart are not one activity. */
const ACTIVITY_MS = 30_000

/** What was recorded since the last sealed segment. */
export interface Buffer {
  /** @returns whether the segment is to be sealed. */
  add(event: CaptureEvent): boolean
  fact(facts: Facts): void
  field(field: Field): void
  view(view: View): void
  /** Whether there is nothing to send. */
  isEmpty(): boolean
  /** The segment as it is now, as JSON; undefined if `beforeSend` discards it. */
  text(session: Session): string | undefined
  /** Forgets what `text` returned. */
  clear(): void
}

/** The running totals of a session. */
const totals = ({ at, activeMs, resolutionMs, dropped }: Session, now: number) => ({
  startedAt: new Date(at).toISOString(),
  durationMs: Math.max(0, now - at),
  ...{ activeMs: Math.round(activeMs), dropped },
  ...(resolutionMs && { resolutionMs }),
})

/** A segment without content, in the place of one that was lost: before it could be stored, or refused by the server. */
export const emptySegment = (session: Session, n: number, now = Date.now()): string =>
  JSON.stringify({ v: 1, n, at: now, behaviour: totals(session, now), events: [] } satisfies Segment)

/** Adds an event to the totals of its session. @returns false if it exceeds the limits. */
export function count(session: Session, gapMs: number): boolean {
  if (session.events >= MAX_EVENTS) {
    session.dropped++
    return false
  }
  session.events++
  if (gapMs <= 0) return true
  if (gapMs <= ACTIVITY_MS) session.activeMs += gapMs
  session.resolutionMs = Math.min(gapMs, session.resolutionMs ?? gapMs)
  return true
}

export function openBuffer(beforeSend?: (segment: Segment) => Segment | null): Buffer {
  let events: CaptureEvent[] = []
  let fields: Field[] = []
  let views: View[] = []
  let facts: Facts | undefined
  let size = 0

  return {
    add(event) {
      events.push(event)
      size += JSON.stringify(event).length
      return size >= SEAL_CHARACTERS
    },
    fact(more) {
      facts = {
        ...facts,
        ...more,
        device: { ...facts?.device, ...more.device },
        web: { ...facts?.web, ...more.web },
      }
    },
    field: (field) => fields.push(field),
    view: (view) => views.push(view),
    isEmpty: () => !facts && !events.length && !fields.length && !views.length,
    text(session) {
      const at = Date.now()
      const segment: Segment = {
        ...{ v: 1, n: session.n, at, behaviour: totals(session, at), events },
        ...(facts && { facts }),
        ...(fields.length && { fields }),
        ...(views.length && { views }),
      }
      const text = JSON.stringify(segment)
      if (!beforeSend) return text
      try {
        const sent = beforeSend(JSON.parse(text))
        return sent ? JSON.stringify({ ...sent, v: 1, n: session.n }) : undefined
      } catch (error) {
        reportError(error) // of the page's own function: nothing is sent that it has not seen
        return undefined
      }
    },
    clear() {
      events = []
      fields = []
      views = []
      facts = undefined
      size = 0
    },
  }
}
