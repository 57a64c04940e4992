import { z } from 'zod'
import { CAPTURE_BOUNDS, coordinate, count, milliseconds, optional, text, timestamp } from './scalars.ts'

/**
 * One timed event. Flat on purpose: the description of a member names its event types. Events of unknown types are ignored, so that
 * captures of newer SDKs are still read.
 */
export const CaptureEvent = z.object({
  t: milliseconds.describe('Milliseconds since behaviour.startedAt'),
  type: text
    .min(1)
    .describe(
      'focus, blur, key, input, change, paste, copy, cut, drop, invalid, submit, touch, pointer, scroll, wheel, sensor, ' +
        'visibility, resize, page; others are ignored',
    ),
  target: optional(
    text,
    'focus, blur, key, input, change, paste, copy, cut, drop, invalid: name of the form field; submit: name of the form; page: path',
  ),
  kind: optional(
    text,
    'key: letter, digit, symbol, space, backspace, delete, enter, tab, other; never the character',
  ),
  dwellMs: optional(milliseconds, 'key: milliseconds from press to release'),
  flightMs: optional(
    z.number().min(-1e9).max(1e9),
    'key: milliseconds from the release of the key before to this press; negative where they overlap',
  ),
  length: optional(count, 'input, change: characters in the field afterwards; never the characters'),
  pasted: optional(z.boolean(), 'input: whether the text was pasted'),
  phase: optional(
    text,
    'touch: start, move, end, cancel; pointer: move, down, up; visibility: hidden, visible',
  ),
  finger: optional(count.max(100), 'touch: which finger, from 0 for the first one, 0 to 100'),
  x: optional(
    coordinate,
    'touch, pointer: distance from the left edge in pixels (logical on the web); scroll: horizontal position; resize: width',
  ),
  y: optional(
    coordinate,
    'touch, pointer: distance from the top edge in pixels (logical on the web); scroll: vertical position; resize: height',
  ),
  pressure: optional(
    z.number().min(0).max(1_000),
    'touch: pressure as the platform reports it, usually 0 to 1. Android: MotionEvent.getPressure; iOS: UITouch.force',
  ),
  sizePx: optional(
    coordinate,
    'touch: diameter of the contact area in pixels. Android: MotionEvent.getTouchMajor; iOS: UITouch.majorRadius',
  ),
  sensor: optional(text, 'sensor: accelerometer, gyroscope or another sensor'),
  mean: optional(
    z.number(),
    'sensor: mean magnitude over the summary window in SI units: m/s² of an accelerometer, rad/s of a gyroscope',
  ),
  sd: optional(
    z.number(),
    'sensor: standard deviation of the magnitude over the summary window, in the same unit',
  ),
  trusted: optional(
    z.boolean(),
    'Whether the browser made the event, not a script, Event.isTrusted. SDKs that report it may omit true, and report activeMs',
  ),
  auto: optional(
    z.boolean(),
    'input, change: whether the browser filled the field by itself. SDKs that report it may omit false, and report activeMs',
  ),
  pointer: optional(text, 'pointer: mouse, touch or pen, PointerEvent.pointerType'),
  button: optional(count.max(100), 'pointer down, up: button, PointerEvent.button, 0 to 100'),
  dx: optional(coordinate, 'wheel: horizontal distance in logical pixels'),
  dy: optional(coordinate, 'wheel: vertical distance in logical pixels'),
})

export const Behaviour = z.object({
  startedAt: timestamp.describe('When the recorded session began, ISO 8601 with zone'),
  durationMs: milliseconds.describe('Length of the recorded session in milliseconds'),
  activeMs: optional(
    milliseconds,
    'Part of the session in which the page was visible and in use, in milliseconds',
  ),
  resolutionMs: optional(
    milliseconds,
    'Resolution of the clock of the events in milliseconds: browsers round it',
  ),
  dropped: optional(count, 'Events that the SDK did not record because of its limits'),
  events: z
    .array(CaptureEvent)
    .max(CAPTURE_BOUNDS.events)
    .describe('Events in the order of their time, at most 50,000; what was typed is never part of them'),
})

/** One timed event of a capture's `behaviour`. */
export type CaptureEvent = z.output<typeof CaptureEvent>
