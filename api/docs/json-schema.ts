import { z } from 'zod'

export type JsonObject = Record<string, unknown>

/**
 * Converts a zod schema to a JSON Schema for the OpenAPI document. Nested schemas with an id become components and are
 * referenced.
 *
 * Later versions may add members to responses, so their objects do not forbid additional ones. Integer bounds that only
 * express the precision of numbers are removed.
 */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: JsonObject): JsonObject {
  const whole = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  const {
    $schema: _,
    $defs = {},
    ...json
  }: JsonObject & { $defs?: Record<string, JsonObject> } = JSON.parse(
    JSON.stringify(whole).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'),
  )
  for (const [id, { id: _id, ...definition }] of Object.entries($defs)) components[id] = definition
  return json
}
