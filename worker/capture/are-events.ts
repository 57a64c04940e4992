import { z } from 'zod'
import { CaptureEvent } from '../../db/capture/event.ts'

/** JSON Schema for one value; nothing more is needed for the flat events, and nothing more is understood. */
const Scalar = z.strictObject({
  type: z.preprocess(
    (type) => [type].flat(),
    z.array(z.enum(['number', 'integer', 'string', 'boolean', 'null'])),
  ),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  description: z.string().optional(),
})
const EventSchema = z.object({
  properties: z.record(
    z.string(),
    z.union([
      Scalar,
      z
        .strictObject({ anyOf: z.tuple([Scalar, Scalar]), description: z.string().optional() })
        .transform(({ anyOf: [one, other] }) => ({ ...other, ...one, type: [...one.type, ...other.type] })),
    ]),
  ),
  required: z.array(z.string()),
})
const { properties, required } = EventSchema.parse(z.toJSONSchema(CaptureEvent, { io: 'input' }))

/** What members may be, by their names. The bounds are of numbers and of the lengths of texts. */
const EXPECTED = new Map(
  Object.entries(properties).map(([name, { type: types, minimum, maximum, minLength, maxLength }]) => [
    name,
    {
      type: types[0] === 'integer' ? 'number' : types[0],
      integer: types[0] === 'integer',
      nullable: types[1] === 'null',
      min: minimum ?? minLength ?? -Number.MAX_VALUE, // 1e999 in JSON is infinite, and no number of ours
      max: maximum ?? maxLength ?? Number.MAX_VALUE,
      required: required.includes(name),
    },
  ]),
)

type Expected = NonNullable<ReturnType<(typeof EXPECTED)['get']>>

/**
 * Whether each of them is what the schema of events says.
 *
 * It looks at the members that an event has, not for each of the many that it may have: a typical capture takes a third
 * of the 0.3 ms that it took by the compiled schema, a seventh of a worker's time.
 */
export function areEvents(events: readonly unknown[]): boolean {
  for (const event of events) {
    if (typeof event !== 'object' || event === null || Array.isArray(event)) return false
    let present = 0
    for (const name in event) {
      const expected = EXPECTED.get(name)
      if (expected === undefined) continue
      if (!isExpected((event as Record<string, unknown>)[name], expected)) return false
      if (expected.required) present++
    }
    if (present < required.length) return false
  }
  return true
}

function isExpected(value: unknown, { type, integer, nullable, min, max }: Expected): boolean {
  if (typeof value === 'number')
    return type === 'number' && value >= min && value <= max && (!integer || Number.isInteger(value))
  if (typeof value === 'string') return type === 'string' && value.length >= min && value.length <= max
  return value === null ? nullable : type === typeof value
}
