import { attributeOf, type Fields } from './fields.ts'
import { kindOfKey } from './kind-of-key.ts'
import { redact } from './redact.ts'
import { tenth } from './totals.ts'
import type { CaptureEvent } from './wire.ts'

/** Shortest time between two recorded events of a type that repeats quickly, in milliseconds. */
const SAMPLE_MS = 50

const TYPES =
  'focus blur keydown keyup input change paste copy cut drop invalid submit pointerdown pointermove pointerup pointercancel scroll wheel resize'
const WITHOUT_TEXT = /checkbox|radio|select|range|color|file/
const { round } = Math

/**
 * Calls `emit` with what the user does, until `signal` is aborted.
 *
 * @param clock milliseconds since the collection started, of an event's `timeStamp`
 */
export function record(
  fields: Fields,
  clock: (timeStamp: number) => number,
  emit: (event: CaptureEvent) => void,
  signal: AbortSignal,
): void {
  const held = new Map<string, CaptureEvent>()
  const sampledAt: Record<string, number> = {}
  let fingers: number[] = []
  let releasedAt: number | undefined
  let dx = 0
  let dy = 0

  function pointer(event: PointerEvent, base: CaptureEvent): void {
    const { type, pointerType, pointerId, isPrimary } = event
    const phase = type.slice(7)
    const place = { ...base, x: round(event.clientX), y: round(event.clientY) }
    if (pointerType === 'touch') {
      if (isPrimary && phase === 'down') fingers = []
      if (!fingers.includes(pointerId)) fingers.push(pointerId)
      emit({
        ...place,
        type: 'touch',
        phase: phase.replace('down', 'start').replace('up', 'end'),
        finger: fingers.indexOf(pointerId),
        pressure: event.pressure,
        sizePx: round(event.width),
      })
    } else {
      const { button } = event // negative: it moved, or was cancelled
      emit({
        ...place,
        type: 'pointer',
        phase,
        pointer: pointerType,
        button: button < 0 ? undefined : button,
      })
    }
  }

  function key({ type, repeat, code, key }: KeyboardEvent, base: CaptureEvent): void {
    const press = held.get(code)
    if (type === 'keydown') {
      const flightMs = releasedAt && tenth(base.t - releasedAt)
      if (!repeat) held.set(code, { ...base, type: 'key', kind: kindOfKey(key), flightMs })
    } else if (press) {
      held.delete(code)
      releasedAt = base.t
      emit({ ...press, dwellMs: tenth(base.t - press.t) })
    }
  }

  function input({ inputType, isTrusted }: InputEvent, base: CaptureEvent, field: HTMLInputElement): void {
    const { type, value, textContent } = field
    emit(
      WITHOUT_TEXT.test(type)
        ? base
        : {
            ...base,
            length: (value ?? textContent).length,
            pasted: /Paste|Drop/.test(inputType) || undefined,
            // a browser that fills a field gives no type of input, or marks the field
            auto: (isTrusted && (!inputType || field.matches(':autofill'))) || undefined,
          },
    )
  }

  function handle(event: Event): void {
    const { type, isTrusted, timeStamp } = event
    const path = event.composedPath()
    const element = path[0] as HTMLInputElement
    const t = clock(timeStamp)
    const base: CaptureEvent = { t, type, trusted: isTrusted && undefined }
    if (type === 'wheel') {
      dx += (event as WheelEvent).deltaX
      dy += (event as WheelEvent).deltaY
    }
    if (/move|scroll|wheel|resize/.test(type)) {
      if (t < (sampledAt[type] as number) + SAMPLE_MS) return // not for the first one: NaN
      sampledAt[type] = t
    }
    if (!fields.permits(path)) return

    if (/^pointer/.test(type)) pointer(event as PointerEvent, base)
    else if (type === 'scroll') {
      if (path.length < 3) emit({ ...base, x: round(scrollX), y: round(scrollY) })
    } else if (type === 'wheel') {
      emit({ ...base, dx: round(dx), dy: round(dy) })
      dx = dy = 0
    } else if (type === 'resize') emit({ ...base, x: innerWidth, y: innerHeight })
    else if (type === 'submit') emit({ ...base, target: redact(attributeOf(element, 'name')) })
    else {
      base.target = fields.nameOf(element)
      if (base.target === undefined) return
      const secret = fields.isSecret(element)
      // the release of a key counts for the field in which it was pressed
      if (/^key/.test(type)) {
        if (!secret || type === 'keyup') key(event as KeyboardEvent, base)
      } else if (type !== 'input') emit(base)
      else if (!secret) input(event as InputEvent, base, element)
    }
  }

  for (const type of TYPES.split(' '))
    addEventListener(type, handle, { capture: true, passive: true, signal })
}
