import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { z } from 'zod'
import { Capture } from '../../db/capture/capture.ts'
import { CaptureEvent } from '../../db/capture/event.ts'
import { describeIssue } from '../../db/runtime/describe-issue.ts'
import { areEvents } from './are-events.ts'

/**
 * The schema of captures but for what events are, compiled to one function: generated from the zod schema, it counts
 * characters as zod does, and leaves formats to their patterns. zod's own walk took more than half of a worker's time.
 */
const isCaptureButEvents = new Ajv2020({
  unicode: false,
  validateFormats: false,
  strict: false,
  strictNumbers: true,
  logger: false,
}).compile<Capture>(
  z.toJSONSchema(Capture, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === CaptureEvent)
        for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword]
    },
  }),
)

const isCapture = (value: unknown): value is Capture =>
  isCaptureButEvents(value) && areEvents(value.behaviour?.events ?? [])

/** More faults than this are not listed: a reason is for a person to read. */
const MAX_FAULTS = 5

/** Names of a record are the uploader's own, of any length; in a reason they are cut. */
const MAX_NAME_CHARS = 60

/** Events whose faults are listed at once: zod keeps each fault, and those of 50,000 events cost 0.7 s and 200 MB. */
const EVENTS_AT_ONCE = 2_000

/** The value as a capture, with members that the schema does not know left in place; or why it is none. */
export function parseCapture(value: unknown): { readonly capture: Capture } | { readonly faults: string } {
  if (isCapture(value)) return { capture: value }
  const oversized = isCaptureButEvents.errors?.find(
    ({ keyword }) => keyword === 'maxProperties' || keyword === 'maxItems',
  )
  if (oversized) return { faults: presentOversized(oversized) }
  const issues = listIssues(value) // says what is wrong better than ajv does
  if (issues.length === 0) return { capture: value as Capture }
  const faults = issues.slice(0, MAX_FAULTS).map(({ path, message }) => `${placeOf(path)}: ${message}`)
  const more = issues.length > MAX_FAULTS ? `; and ${issues.length - MAX_FAULTS} more` : ''
  return { faults: faults.join('; ') + more }
}

/** What is wrong with all of the value but its events, and with the first events that are wrong. */
function listIssues(value: unknown): readonly z.core.$ZodIssue[] {
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

/** zod walks through all members of a record before it looks at their number: 2 s and 500 MB for half a million. */
const presentOversized = ({ instancePath, keyword, params }: ErrorObject) =>
  `${instancePath.slice(1).replaceAll('/', '.')}: Too many ${keyword === 'maxItems' ? 'items' : 'members'}: expected at most ${params.limit}`

const placeOf = (path: readonly PropertyKey[]) =>
  path.map((name) => String(name).slice(0, MAX_NAME_CHARS)).join('.')
