import { z } from 'zod'

/** What a model calls an input. */
export const InputName = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => name !== '__proto__', 'this name cannot be a member of an object')

const NumberOrText = z.union([z.number(), z.string().max(200)])

/**
 * An input of a model: a feature under the name that the model has for it.
 *
 * A boolean feature can be read as a number (1, 0) or a category (`true`, `false`), a number as a category.
 */
export const Input = z
  .strictObject({
    name: InputName,
    feature: z.string().max(200).optional().meta({
      description: 'A name of GET /features; a definition can be verified without, but not deployed',
    }),
    type: z.enum(['number', 'boolean', 'category']),
    required: z
      .boolean()
      .default(false)
      .meta({ description: 'Where it is missing there is no score; characteristics need no bin for that' }),
    valid: z
      .strictObject({
        from: z.number().optional(),
        to: z.number().optional(),
        values: z.array(NumberOrText).min(1).max(10_000).optional(),
      })
      .optional()
      .meta({
        description: 'A number from `from` to `to`, both included, or one of values; else it is invalid',
      }),
    texts: z.record(z.string().max(200), z.string().max(200)).optional().meta({
      description:
        'Of a category: what the model calls a value of the feature, as {"true": "Yes", "false": "No"}; others are read as they are',
    }),
    missing: z
      .array(NumberOrText)
      .max(100)
      .default([])
      .meta({ description: 'Values that stand for missing, such as -1 or "NA"' }),
    special: z.array(NumberOrText).max(100).default([]).meta({
      description: 'Values with a meaning of their own, in no interval: characteristics give them bins',
    }),
    invalid: z
      .union([z.enum(['asMissing', 'asIs', 'noScore']), z.strictObject({ value: NumberOrText })])
      .default('asMissing')
      .meta({ description: 'What an invalid value is taken for' }),
  })
  .superRefine((input, context) => {
    const fault = (message: string, ...path: (string | number)[]) =>
      context.addIssue({ code: 'custom', message, path })
    const { type, valid } = input
    if (type !== 'number' && (valid?.from !== undefined || valid?.to !== undefined))
      fault(`${input.name} is a ${type}: say which values are valid`, 'valid')
    if (valid?.from !== undefined && valid.to !== undefined && valid.from > valid.to)
      fault('from must not be more than to', 'valid')
    if (type === 'boolean')
      for (const member of ['missing', 'special'] as const)
        if (input[member].length > 0)
          fault(`${input.name} is a boolean: it is true, false or missing`, member)
    if (type === 'boolean' && valid) fault(`${input.name} is a boolean: both values are valid`, 'valid')
    if (input.texts && type !== 'category')
      fault(`${input.name} is a ${type}: only a category has texts`, 'texts')
    const texts = Object.values(input.texts ?? {})
    if (new Set(texts).size < texts.length) fault('two values have the same text', 'texts')
    const wanted = type === 'number' ? 'number' : 'string'
    for (const member of ['missing', 'special'] as const)
      for (const [at, value] of input[member].entries())
        if (type !== 'boolean' && typeof value !== wanted)
          fault(`${input.name} is a ${type}: this must be a ${wanted}`, member, at)
    for (const [at, value] of (valid?.values ?? []).entries())
      if (typeof value !== wanted)
        fault(`${input.name} is a ${type}: this must be a ${wanted}`, 'valid', 'values', at)
    for (const [at, value] of input.special.entries())
      if (input.missing.includes(value)) fault(`${JSON.stringify(value)} is missing already`, 'special', at)
    if (typeof input.invalid !== 'object') return
    if (typeof input.invalid.value !== wanted)
      fault(`${input.name} is a ${type}: this must be a ${wanted}`, 'invalid', 'value')
    else if (!isValid(input.invalid.value, valid)) fault('this is invalid itself', 'invalid', 'value')
  })

export type Input = z.output<typeof Input>

/** Whether a value that is neither missing nor special is one that the model was made for. */
export function isValid(value: number | string | boolean, valid: Input['valid']): boolean {
  if (!valid) return true
  if (valid.values && !(valid.values as unknown[]).includes(value)) return false
  return !(typeof value === 'number' && (value < (valid.from ?? value) || value > (valid.to ?? value)))
}
