import type { Session } from './journal.ts'
import type { Behaviour, Segment } from './wire.ts'

/** The server accepts no more events in a collection. */
export const MAX_EVENTS = 50_000
/** Events further apart are not one activity. */
const ACTIVITY_MS = 30_000

/** Rounds to a tenth of a millisecond, the finest clock of browsers. */
export const tenth = (ms: number): number => Math.round(ms * 10) / 10

/**
 * Adds an event to the totals of its session.
 *
 * @param gapMs since the event before
 * @returns false if the event exceeds the limit.
 */
export function count(session: Session, gapMs: number): boolean {
  if (session.events >= MAX_EVENTS) {
    session.dropped++
    return false
  }
  session.events++
  if (gapMs > 0) {
    if (gapMs < ACTIVITY_MS) session.activeMs += gapMs
    session.resolutionMs = tenth(Math.min(gapMs, session.resolutionMs ?? gapMs))
  }
  return true
}

/** A segment that has the running totals, and no content yet. */
export const emptySegment = (session: Session, n = session.n, now = Date.now()): Segment => {
  const behaviour: Behaviour = {
    startedAt: new Date(session.at).toISOString(),
    durationMs: Math.max(0, now - session.at),
    activeMs: tenth(session.activeMs),
    resolutionMs: session.resolutionMs,
    dropped: session.dropped,
  }
  return { v: 1, n, at: now, behaviour, events: [] }
}
