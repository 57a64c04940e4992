import type { CaptureEvent } from '../../db/capture/event.ts'

/** Events of a session grouped for the extractors, sorted by time; captures do not guarantee that order. */
export interface Events {
  readonly keys: readonly CaptureEvent[]
  readonly touches: readonly CaptureEvent[]
  readonly pointers: readonly CaptureEvent[]
  /** Changes of visibility of the page or application. */
  readonly visibility: readonly CaptureEvent[]
  /** `focus`, `key`, `input`, `change`, `paste`, `drop`, `invalid` and `submit`. */
  readonly formEvents: readonly CaptureEvent[]
  /** User actions. Sensor summaries are excluded: they are periodic and would hide every pause. */
  readonly actions: readonly CaptureEvent[]
}

/** Groups events in one pass: a typical capture has a thousand, of ten types, and most extractors need one type. */
export function groupEvents(events: readonly CaptureEvent[]): Events {
  const keys: CaptureEvent[] = []
  const touches: CaptureEvent[] = []
  const pointers: CaptureEvent[] = []
  const visibility: CaptureEvent[] = []
  const formEvents: CaptureEvent[] = []
  const actions: CaptureEvent[] = []
  let last = 0
  for (const event of events) {
    const { t, type } = event
    if (t < last) return groupEvents(events.toSorted((a, b) => a.t - b.t))
    last = t
    switch (type) {
      case 'key':
        keys.push(event)
        formEvents.push(event)
        break
      case 'focus':
      case 'input':
      case 'change':
      case 'paste':
      case 'drop':
      case 'submit':
        formEvents.push(event)
        break
      case 'invalid': // by the browser, when the user submits
        formEvents.push(event)
        continue
      case 'touch':
        touches.push(event)
        break
      case 'pointer':
        pointers.push(event)
        break
      case 'blur':
      case 'scroll':
      case 'wheel':
      case 'copy':
      case 'cut':
        break
      case 'visibility':
        visibility.push(event)
        continue
      default: // sensors, changes of the page and its size, and types of newer SDKs
        continue
    }
    actions.push(event)
  }
  return { keys, touches, pointers, visibility, formEvents, actions }
}
