import type { CaptureEvent } from '../../db/capture/event.ts'

/** Events of a session grouped for the extractors, sorted by time; captures do not guarantee that order. */
export interface Events {
  readonly keys: readonly CaptureEvent[]
  readonly touches: readonly CaptureEvent[]
  readonly pointers: readonly CaptureEvent[]
  /** Changes of visibility of the page or application. */
  readonly visibility: readonly CaptureEvent[]
  /** `focus`, `key`, `input` and `paste`. */
  readonly formEvents: readonly CaptureEvent[]
  /** Times of user actions, in ms. Sensor summaries are excluded: they are periodic and would hide every pause. */
  readonly actionTimes: readonly number[]
}

/** Groups events in one pass: a typical capture has a thousand, of ten types, and most extractors need one type. */
export function groupEvents(events: readonly CaptureEvent[]): Events {
  const keys: CaptureEvent[] = []
  const touches: CaptureEvent[] = []
  const pointers: CaptureEvent[] = []
  const visibility: CaptureEvent[] = []
  const entries: CaptureEvent[] = []
  const actionTimes: number[] = []
  let last = 0
  for (const event of events) {
    const { t, type } = event
    if (t < last) return groupEvents(events.toSorted((a, b) => a.t - b.t))
    last = t
    switch (type) {
      case 'key':
        keys.push(event)
        entries.push(event)
        break
      case 'focus':
      case 'input':
      case 'paste':
        entries.push(event)
        break
      case 'touch':
        touches.push(event)
        break
      case 'pointer':
        pointers.push(event)
        break
      case 'blur':
      case 'scroll':
        break
      case 'visibility':
        visibility.push(event)
        continue
      default: // sensors, and types of newer SDKs
        continue
    }
    actionTimes.push(t)
  }
  return { keys, touches, pointers, visibility, formEvents: entries, actionTimes }
}
