import type { JsonObject } from './json-schema.ts'

/**
 * Returns an example of a JSON Schema: its own first example or, without one, an example built from its members. Uses the
 * first alternative that is not null; arrays have one item. Undefined for a text or number without an example.
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
