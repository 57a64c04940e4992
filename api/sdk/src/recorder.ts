import type { Fields } from './fields.ts'
import { kindOfKey } from './kind-of-key.ts'
import { redact } from './redact.ts'
import type { CaptureEvent } from './wire.ts'

/** Shortest time between two recorded events of a type that repeats quickly, in milliseconds. */
const SAMPLE_MS = 50

const TYPES =
  'focus blur keydown keyup input change paste copy cut drop invalid submit pointerdown pointermove pointerup pointercancel scroll wheel resize'

const OPTIONS = { capture: true, passive: true }

/** Rounds to a tenth of a millisecond, the finest clock of browsers. */
export const tenth = (ms: number): number => Math.round(ms * 10) / 10

/**
 * Calls `emit` with what the user does, until the returned function is called.
 *
 * @param clock milliseconds since the collection started, of an event's `timeStamp`
 */
export function record(
  fields: Fields,
  clock: (timeStamp: number) => number,
  emit: (event: CaptureEvent) => void,
): () => void {
  const held = new Map<string, CaptureEvent>()
  const sampledAt: Record<string, number> = {}
  const fingers: (number | undefined)[] = []
  let releasedAt: number | undefined
  let dx = 0
  let dy = 0

  function fingerOf(id: number): number {
    const finger = fingers.indexOf(id)
    if (finger >= 0) return finger
    const free = fingers.indexOf(undefined)
    fingers[free < 0 ? fingers.length : free] = id
    return fingers.indexOf(id)
  }

  function pointer(event: PointerEvent, base: CaptureEvent): void {
    const { type, pointerType, pointerId } = event
    const phase = type.slice(7)
    Object.assign(base, { phase, x: Math.round(event.clientX), y: Math.round(event.clientY) })
    if (pointerType !== 'touch') {
      if (phase === 'cancel') return
      if (phase !== 'move') base.button = event.button
      return emit({ ...base, type: 'pointer', pointer: pointerType })
    }
    const finger = fingerOf(pointerId)
    if (phase === 'down') base.phase = 'start'
    else if (phase !== 'move') fingers[finger] = undefined
    if (phase === 'up') base.phase = 'end'
    const sizePx = Math.round(Math.max(event.width, event.height))
    emit({ ...base, type: 'touch', finger, pressure: tenth(event.pressure), sizePx })
  }

  function key(event: KeyboardEvent, base: CaptureEvent, target: string): void {
    const { type, repeat, code } = event
    if (type === 'keydown') {
      if (repeat) return
      const press: CaptureEvent = { ...base, type: 'key', target, kind: kindOfKey(event.key) }
      if (releasedAt !== undefined) press.flightMs = tenth(base.t - releasedAt)
      held.set(code, press)
      return
    }
    const press = held.get(code)
    if (!press) return
    held.delete(code)
    releasedAt = base.t
    emit({ ...press, dwellMs: tenth(base.t - press.t) })
  }

  function input(event: InputEvent, base: CaptureEvent, field: HTMLInputElement): void {
    const { inputType = '' } = event
    const text = field.isContentEditable ? field.textContent : field.value
    // checkboxes, radio buttons and lists have no text
    if (field.isContentEditable || 'placeholder' in field) {
      base.length = [...(text ?? '')].length
      if (/Paste|FromDrop/.test(inputType)) base.pasted = true
      // a browser that fills a field gives no type of input, or marks the field
      if (event.isTrusted && (!inputType || field.matches(':autofill'))) base.auto = true
    }
    emit(base)
  }

  function handle(event: Event): void {
    const { type } = event
    const t = clock(event.timeStamp)
    if (type === 'wheel') {
      dx += (event as WheelEvent).deltaX
      dy += (event as WheelEvent).deltaY
    }
    if (/move|scroll|wheel|resize/.test(type)) {
      if (t - (sampledAt[type] ?? -SAMPLE_MS) < SAMPLE_MS) return
      sampledAt[type] = t
    }
    const path = event.composedPath()
    const element = path[0] as HTMLInputElement
    if (fields.ignores(path)) return
    const base: CaptureEvent = { t, type }
    if (!event.isTrusted) base.trusted = false

    if (/^pointer/.test(type)) {
      for (const root of path) if (root instanceof ShadowRoot) fields.watch(root)
      return pointer(event as PointerEvent, base)
    }
    if (type === 'scroll') {
      if ((element as Node) === document) emit({ ...base, x: Math.round(scrollX), y: Math.round(scrollY) })
      return
    }
    if (type === 'wheel') {
      emit({ ...base, dx: Math.round(dx), dy: Math.round(dy) })
      dx = dy = 0
      return
    }
    if (type === 'resize') return emit({ ...base, x: innerWidth, y: innerHeight })
    if (type === 'submit') return emit({ ...base, target: redact(element.getAttribute('name') ?? '') })

    const target = fields.nameOf(element)
    if (target === undefined) return
    for (const root of path) if (root instanceof ShadowRoot) fields.watch(root)
    const secret = fields.isSecret(element)
    if (/^key/.test(type)) {
      // the release counts for the field in which the key was pressed
      if (!secret || type === 'keyup') key(event as KeyboardEvent, base, target)
      return
    }
    base.target = target
    if (type === 'input') {
      if (!secret) input(event as InputEvent, base, element)
      return
    }
    emit(base)
  }

  for (const type of TYPES.split(' ')) addEventListener(type, handle, OPTIONS)
  fields.watch(document)
  return () => {
    for (const type of TYPES.split(' ')) removeEventListener(type, handle, OPTIONS)
    fields.close()
  }
}
