import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { z } from 'zod'
import { Capture } from '../../db/capture/capture.ts'
import { CaptureEvent } from '../../db/capture/event.ts'
import { describeIssue } from '../../db/runtime/describe-issue.ts'
import { areValidEvents } from './validate-events.ts'

/**
 * Validates captures except their events, with one function compiled from the zod schema. It counts characters as zod does
 * and checks formats by their patterns. Validation by zod itself took more than half of a worker's time.
 *
 * Compiling it costs every start of a worker 60 ms of processor time instead of 240: the schema is our own and needs no
 * validation, its errors are only counted, optimising the code makes no difference to the time per capture, and a nullable
 * member is checked once, by two types, instead of by two schemas.
 */
const isValidExceptEvents = new Ajv2020({
  unicode: false,
  validateFormats: false,
  strict: false,
  strictNumbers: true,
  logger: false,
  validateSchema: false,
  messages: false,
  code: { optimize: false },
}).compile<Capture>(
  z.toJSONSchema(Capture, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === CaptureEvent)
        for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword]
      const [of, orNull, more] = jsonSchema.anyOf ?? []
      if (typeof of?.type !== 'string' || orNull?.type !== 'null' || more || of.enum || 'const' in of) return
      delete jsonSchema.anyOf
      Object.assign(jsonSchema, of, { type: [of.type, 'null'] })
    },
  }),
)

const isCapture = (value: unknown): value is Capture =>
  isValidExceptEvents(value) && areValidEvents(value.behaviour?.events ?? [])

/** Further errors are only counted: a person reads the message. */
const MAX_ERRORS = 5

/** Member names come from the client and have any length; in messages they are truncated. */
const MAX_NAME_CHARS = 60

/** Events per call of zod, which collects every error: those of 50,000 events take 0.7 s and 200 MB. */
const EVENTS_AT_ONCE = 2_000

/** An error of a value that is not a capture. */
export interface CaptureIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Returns the value as a capture, including members unknown to the schema, or a description of its errors. */
export function parseCapture(value: unknown): { readonly capture: Capture } | { readonly errors: string } {
  if (isCapture(value)) return { capture: value }
  const issues = listCaptureIssues(value)
  if (issues.length === 0) return { capture: value as Capture }
  const errors = issues.slice(0, MAX_ERRORS).map(({ path, message }) => `${pathOf(path)}: ${message}`)
  const more = issues.length > MAX_ERRORS ? `; and ${issues.length - MAX_ERRORS} more` : ''
  return { errors: errors.join('; ') + more }
}

/**
 * Lists the errors of everything except the events, and of the first slice of events that has errors; a list or record with too
 * many members is the only error. Empty for a capture.
 */
export function listCaptureIssues(value: unknown): readonly CaptureIssue[] {
  const oversized = isValidExceptEvents(value) ? undefined : isValidExceptEvents.errors?.find(isOversized)
  return oversized ? [describeOversized(oversized)] : listIssues(value) // zod's messages are clearer than ajv's
}

function listIssues(value: unknown): readonly CaptureIssue[] {
  const { behaviour } = (value ?? {}) as { behaviour?: { events?: unknown } }
  const events = behaviour?.events
  if (!Array.isArray(events)) return Capture.safeParse(value, { error: describeIssue }).error?.issues ?? []
  for (let from = 0; from === 0 || from < events.length; from += EVENTS_AT_ONCE) {
    const some = events.slice(from, from + EVENTS_AT_ONCE)
    const capture = { ...(value as object), behaviour: { ...behaviour, events: some } }
    const issues = Capture.safeParse(capture, { error: describeIssue }).error?.issues
    if (issues) return issues.map((issue) => ({ ...issue, path: shiftEvent(issue.path, from) }))
  }
  return []
}

const shiftEvent = ([section, list, event, ...rest]: readonly PropertyKey[], by: number): PropertyKey[] =>
  section === 'behaviour' && list === 'events' && typeof event === 'number'
    ? [section, list, event + by, ...rest]
    : [section, list, event, ...rest].filter((name) => name !== undefined)

/** zod validates all members of a record before it checks their number: 2 s and 500 MB for half a million. */
const isOversized = ({ keyword }: ErrorObject) => keyword === 'maxProperties' || keyword === 'maxItems'

const describeOversized = ({ instancePath, keyword, params }: ErrorObject): CaptureIssue => ({
  path: instancePath.slice(1).split('/'),
  message: `Too many ${keyword === 'maxItems' ? 'items' : 'members'}: expected at most ${params.limit}`,
})

const pathOf = (path: readonly PropertyKey[]) =>
  path.map((name) => String(name).slice(0, MAX_NAME_CHARS)).join('.')
