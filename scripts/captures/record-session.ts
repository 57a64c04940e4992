import type { Capture } from '../../db/capture/capture.ts'
import { FIELDS, type Field } from './form.ts'
import { createGestures, type Surface } from './gestures.ts'
import type { Person } from './person.ts'
import type { Random } from './random.ts'
import { createRecorder } from './recorder.ts'
import { typeText } from './typing.ts'

export interface SessionOptions extends Surface {
  readonly person: Person
  /** Interval between summaries of the motion sensors; undefined for a device without sensors. */
  readonly sensorEveryMs?: number
  /** Number of events of the complete recording. */
  readonly events: number
  /** Whether the last event is the submission of the form. */
  readonly submits?: boolean
  /** Whether a program, not the person, makes the events of the form. */
  readonly scripted?: boolean
}

type Session = Pick<NonNullable<Capture['behaviour']>, 'durationMs' | 'events'>

/** Share of the fields with `autocomplete` that people who use autofill let the browser fill. */
const AUTOFILL_SHARE = 0.5

/**
 * Records a person who fills in the loan application from top to bottom, then reads, corrects fields and switches to other
 * apps until the recording has the given number of events.
 */
export function recordSession(random: Random, options: SessionOptions): Session {
  const { person, widthPx, heightPx } = options
  const recorder = createRecorder(random, options.sensorEveryMs)
  const { events, wait } = recorder
  const { web = false, scripted = false } = options
  const push: typeof recorder.push = (event) =>
    recorder.push({ ...event, ...(scripted && event.type !== 'visibility' && { trusted: false }) })
  const autofills = web && random.fork('autofill').chance(0.4)
  const gestures = createGestures(random, recorder, options, person.touch)

  const leaveAndReturn = () => {
    push({ type: 'visibility', phase: 'hidden' })
    wait(random.logNormal(9000, 0.8))
    push({ type: 'visibility', phase: 'visible' })
    wait(random.logNormal(700, 0.4))
  }

  const paste = ({ name }: Field, length: number) => {
    if (random.chance(0.6)) leaveAndReturn()
    wait(random.logNormal(900, 0.4))
    push({ type: 'paste', target: name })
    wait(random.float(4, 30))
    push({ type: 'input', target: name, length, pasted: true })
  }

  const choose = ({ name, kind }: Field, length: number) => {
    wait(random.logNormal(1300, 0.5))
    if (kind === 'select')
      gestures.press(widthPx * random.float(0.3, 0.7), heightPx * random.float(0.45, 0.85))
    push({ type: 'input', target: name, length, pasted: false })
  }

  const type = ({ name, mix }: Field, length: number) => {
    for (const [i, stroke] of typeText(random, person.rhythm, length, mix, options.mouse).entries()) {
      const { kind, dwellMs, flightMs } = stroke
      wait(flightMs)
      // The first key has no flight time.
      push({ type: 'key', target: name, kind, dwellMs, ...(i > 0 && { flightMs }) })
      wait(dwellMs)
    }
    push({ type: 'input', target: name, length, pasted: false })
  }

  /** The browser fills the field when the user picks one of its suggestions. */
  const autofill = ({ name }: Field, length: number) => {
    wait(random.logNormal(900, 0.4))
    gestures.press(widthPx * random.float(0.3, 0.7), heightPx * random.float(0.3, 0.65))
    push({ type: 'input', target: name, length, pasted: false, auto: true })
  }

  const enter = (field: Field, length: number) => {
    if (web && field.secret) return wait(length * person.rhythm.flightMs * 2)
    if (field.kind === 'select' || field.kind === 'checkbox') choose(field, length)
    else if (random.chance(field.pasteShare * person.pasting * 2)) paste(field, length)
    else if (autofills && field.autocomplete && random.chance(AUTOFILL_SHARE)) autofill(field, length)
    else type(field, length)
    if (web) push({ type: 'change', target: field.name, length })
  }

  const visit = (field: Field) => {
    const length = random.int(...field.length)
    wait(random.logNormal(person.rhythm.thinkMs, 0.6))
    gestures.press(widthPx * random.float(0.25, 0.75), heightPx * random.float(0.25, 0.6))
    wait(random.float(15, 60))
    push({ type: 'focus', target: field.name })
    enter(field, length)
    wait(random.logNormal(500, 0.5))
    push({ type: 'blur', target: field.name })
  }

  for (const field of FIELDS) {
    if (events.length >= options.events) break
    if (random.chance(0.3)) gestures.scrollBy(heightPx * random.float(0.2, 0.5))
    visit(field)
    if (random.chance(0.02)) leaveAndReturn()
    if (web && random.chance(0.02)) push({ type: 'invalid', target: field.name })
  }
  while (events.length < options.events) {
    const u = random.float()
    if (u < 0.42) gestures.scrollBy(heightPx * random.float(-0.6, 0.6))
    else if (u < 0.46) leaveAndReturn()
    else if (u < 0.7 && options.mouse) gestures.wander(widthPx * random.float(), heightPx * random.float())
    else visit(random.pick(FIELDS))
    wait(random.logNormal(1100, 0.7))
  }

  const recorded = events.slice(0, options.events)
  const last = recorded.at(-1)
  if (options.submits && last) recorded[recorded.length - 1] = { t: last.t, type: 'submit' }
  const lastAt = recorded.at(-1)?.t ?? 0
  return { durationMs: lastAt + random.int(200, 2500), events: recorded }
}
