import { z } from 'zod'

export type JsonObject = Record<string, unknown>

/**
 * The JSON Schema of a zod schema, for the OpenAPI document. Schemas in it that have an id are put among the components and
 * referred to.
 *
 * Answers may get more members in a later version, so no object of them forbids others. Integers have no bounds where nothing but
 * the precision of numbers bounds them.
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
