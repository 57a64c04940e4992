import type { JsonObject } from './json-schema.ts'

/**
 * An example of a JSON Schema: its own first one or, where it has none, one made from those of its members. Of alternatives the
 * first one that is not null; lists have one item. Undefined where a text or number has none.
 */
export function exampleOf(schema: JsonObject, components: JsonObject): unknown {
  const { $ref, examples, type, properties, items, anyOf } = schema
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/components/schemas/', '')
    return exampleOf(objectOf(components[name]), components)
  }
  if (Array.isArray(examples)) return examples[0]
  if ('const' in schema) return schema.const
  if ('default' in schema) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (Array.isArray(anyOf)) {
    const alternative = anyOf.map(objectOf).find((one) => one.type !== 'null')
    return alternative && exampleOf(alternative, components)
  }
  if (type === 'boolean') return true
  if (type === 'array') return [exampleOf(objectOf(items), components)]
  if (properties !== undefined || type === 'object')
    return Object.fromEntries(
      Object.entries(objectOf(properties)).map(([name, member]) => [
        name,
        exampleOf(objectOf(member), components),
      ]),
    )
  return undefined
}

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {}
