import type { CaptureEvent } from '../../db/capture/event.ts'

/** What a session recorded, by what extractors ask for; in the order of time, which nothing promises of a capture. */
export interface Events {
  readonly keys: readonly CaptureEvent[]
  readonly touches: readonly CaptureEvent[]
  readonly pointers: readonly CaptureEvent[]
  /** The page or application was hidden or shown. */
  readonly visibility: readonly CaptureEvent[]
  /** What leads through the form: `focus`, `key`, `input` and `paste`. */
  readonly entries: readonly CaptureEvent[]
  /** When a person did something, in ms. Sensor summaries come by the clock, and would hide every pause. */
  readonly actionTimes: readonly number[]
}

/** Reads each event once: a typical capture has a thousand, of ten types, and most extractors care for one. */
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
      default: // sensors, and what a newer SDK knows
        continue
    }
    actionTimes.push(t)
  }
  return { keys, touches, pointers, visibility, entries, actionTimes }
}
