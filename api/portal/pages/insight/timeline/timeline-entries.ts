import { actorLabel } from '../../../parts/labels.ts'
import type { TimelineEvent } from '../insight-types.ts'

/** An event, or consecutive reads by the same actor. */
export interface TimelineEntry {
  readonly event: TimelineEvent['event']
  readonly at: string
  readonly text: string
  /** Shown after the time. */
  readonly note: string | undefined
}

const TEXTS: Readonly<Record<TimelineEvent['event'], string>> = {
  received: 'Received and stored',
  rung: 'Enqueued',
  claimed: 'Processing started',
  ready: 'Processed',
  invalid: 'Decoding failed',
  recalculated: 'Insight recalculated',
  info_saved: 'Additional Info saved',
  reprocess_requested: 'Reprocessing requested',
  read: 'Insight read',
  data_removed: 'Uploaded data removed by retention; insight kept',
  deleted: 'Deleted',
}

/** Converts events to entries, oldest first. */
export function entriesOf(events: readonly TimelineEvent[]): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  for (let at = 0; at < events.length; at++) {
    const event = events[at] as TimelineEvent
    let reads = 1
    while (isRead(event, events[at + 1])) {
      at++
      reads++
    }
    const last = events[at] as TimelineEvent
    entries.push({
      event: event.event,
      at: last.at,
      text: TEXTS[event.event],
      note:
        [
          reads > 1 ? `${reads} times, last` : '',
          event.actor ? `by ${actorLabel({ ...event, actor: event.actor })}` : '',
          detailText(event),
        ]
          .filter((part) => part !== '')
          .join(' ') || undefined,
    })
  }
  return entries
}

const isRead = (one: TimelineEvent, next: TimelineEvent | undefined) =>
  one.event === 'read' && next?.event === 'read' && next.actor === one.actor && next.actorId === one.actorId

function detailText({ event, detail }: TimelineEvent): string {
  if (event === 'info_saved' && Array.isArray(detail?.keys)) return detail.keys.join(', ')
  if (event === 'invalid' && typeof detail?.detail === 'string') return detail.detail
  return ''
}
