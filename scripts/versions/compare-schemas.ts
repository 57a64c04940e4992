import { nameOf, type Schema } from './contract.ts'

/** Whether clients send or receive what a schema describes. */
export type Direction = 'request' | 'response'

type Schemas = Readonly<Record<string, Schema>>

/** The two versions that are compared. */
export interface Versions {
  readonly before: Schemas
  readonly after: Schemas
  /** Is called with each named schema that both versions refer to at the same place, to be compared once. */
  onShared(name: string, direction: Direction): void
}

/**
 * Lists how a schema breaks clients of its earlier version. A request may not be narrowed: what was valid stays valid. A response may
 * not be widened, except by members and by values of enums, which clients ignore where they do not know them; nor may it lose any.
 *
 * @param at the place of the schema, for the messages.
 */
export function compareSchemas(
  before: Schema,
  after: Schema,
  at: string,
  direction: Direction,
  versions: Versions,
): string[] {
  if (before.$ref !== undefined && before.$ref === after.$ref) {
    versions.onShared(nameOf(before.$ref), direction)
    return []
  }
  const [earlier, later] = [alternativesOf(before, versions.before), alternativesOf(after, versions.after)]
  const [sources, targets] = direction === 'request' ? [earlier, later] : [later, earlier]
  return sources.flatMap((source) => {
    const candidates = targets.filter((target) => contains(target, source))
    if (candidates.length === 0)
      return [`${at} ${direction === 'request' ? 'no longer accepts' : 'may now be'} ${source.kind}`]
    const [fewest = []] = candidates
      .map((target) =>
        direction === 'request'
          ? compareAlternatives(source, target, at, direction, versions)
          : compareAlternatives(target, source, at, direction, versions),
      )
      .toSorted((a, b) => a.length - b.length)
    return fewest
  })
}

/** One type of value that a schema allows. */
interface Alternative {
  readonly kind: string
  readonly schema: Schema
}

const contains = ({ kind }: Alternative, other: Alternative) =>
  kind === 'anything' || kind === other.kind || (kind === 'number' && other.kind === 'integer')

/** Returns the alternatives of a schema; enums of one type become one alternative. */
function alternativesOf(schema: Schema, schemas: Schemas): Alternative[] {
  const all = flatten(schema, schemas)
  const enums = Map.groupBy(
    all.filter((one) => one.schema.enum),
    ({ kind }) => kind,
  )
  return [
    ...all.filter((one) => !one.schema.enum),
    ...[...enums].map(([kind, list]) => ({
      kind,
      schema: { ...list[0]?.schema, enum: list.flatMap((one) => one.schema.enum ?? []) },
    })),
  ]
}

function flatten(schema: Schema, schemas: Schemas): Alternative[] {
  if (schema.$ref !== undefined) return flatten(schemas[nameOf(schema.$ref)] ?? {}, schemas)
  if (schema.anyOf) return schema.anyOf.flatMap((one) => flatten(one, schemas))
  if (Array.isArray(schema.type)) return schema.type.flatMap((type) => flatten({ ...schema, type }, schemas))
  if ('const' in schema) {
    const { const: value, ...rest } = schema
    return flatten({ ...rest, enum: [value] }, schemas)
  }
  return [{ kind: kindOf(schema), schema }]
}

function kindOf({ type, enum: values, properties, items }: Schema): string {
  if (typeof type === 'string') return type
  if (values) return values[0] === null ? 'null' : typeof values[0]
  if (properties) return 'object'
  return items ? 'array' : 'anything'
}

function compareAlternatives(
  { schema: before }: Alternative,
  { schema: after }: Alternative,
  at: string,
  direction: Direction,
  versions: Versions,
): string[] {
  const found = [
    ...compareEnums(before, after, direction),
    ...compareTexts(before, after, direction),
    ...(direction === 'request' ? compareBounds(before, after) : []),
    ...compareRequired(before, after, direction),
  ].map((message) => `${at} ${message}`)
  const nested = (from: unknown, to: unknown, place: string) =>
    isSchema(from) && isSchema(to) ? compareSchemas(from, to, place, direction, versions) : []
  return [
    ...found,
    ...Object.entries(before.properties ?? {}).flatMap(([name, member]) => {
      const later = after.properties?.[name]
      return later ? nested(member, later, `${at}.${name}`) : [`${at}.${name} was removed`]
    }),
    ...nested(before.items, after.items, `${at}[]`),
    ...nested(before.additionalProperties, after.additionalProperties, `${at}.*`),
  ]
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

function compareEnums(before: Schema, after: Schema, direction: Direction): string[] {
  const removed = (before.enum ?? []).filter((value) => after.enum && !after.enum.includes(value))
  const messages = removed.map(
    (value) =>
      `${direction === 'request' ? 'no longer accepts' : 'no longer has'} the value ${JSON.stringify(value)}`,
  )
  if (direction === 'request' && after.enum && !before.enum) messages.push('accepts only listed values')
  if (direction === 'response' && before.enum && !after.enum) messages.push('may now be any value')
  return messages
}

/** Patterns and formats are not compared for what they match: each change of one is a break. */
function compareTexts(before: Schema, after: Schema, direction: Direction): string[] {
  const promised = direction === 'request' ? after : before
  const messages = (['pattern', 'format'] as const)
    .filter((keyword) => promised[keyword] !== undefined && before[keyword] !== after[keyword])
    .map((keyword) => `has another ${keyword}`)
  if (
    direction === 'request' &&
    before.default !== undefined &&
    JSON.stringify(before.default) !== JSON.stringify(after.default)
  )
    messages.push('has another default')
  return messages
}

const UPPER = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties']
const LOWER = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties']

function compareBounds(before: Schema, after: Schema): string[] {
  const bound = (schema: Schema, name: string, absent: number) => Number(schema[name] ?? absent)
  return [
    ...UPPER.filter((name) => bound(after, name, Infinity) < bound(before, name, Infinity)),
    ...LOWER.filter((name) => bound(after, name, -Infinity) > bound(before, name, -Infinity)),
  ].map((name) => `has a narrower ${name}`)
}

function compareRequired(before: Schema, after: Schema, direction: Direction): string[] {
  const [from, to] = direction === 'request' ? [before, after] : [after, before]
  const [known, wanted] = [from.required ?? [], to.required ?? []]
  return wanted
    .filter((name) => !known.includes(name) && (direction === 'request' || after.properties?.[name]))
    .map((name) => (direction === 'request' ? `now requires ${name}` : `may now lack ${name}`))
}
