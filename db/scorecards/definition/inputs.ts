import { z } from 'zod'

/** The name of an input within a model. */
export const InputName = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => name !== '__proto__', 'is a reserved name')

const NumberOrText = z.union([z.number(), z.string().max(200)])

/**
 * An input of a model: a feature under the model's name for it.
 *
 * A boolean feature can be read as a number (1, 0) or a category (`true`, `false`), a number as a category.
 */
export const Input = z
  .strictObject({
    name: InputName,
    feature: z.string().max(200).optional().meta({
      description: 'A name of GET /features; a definition without it can be verified, but not deployed',
    }),
    type: z.enum(['number', 'boolean', 'category']),
    required: z
      .boolean()
      .default(false)
      .meta({ description: 'If it is missing there is no score; characteristics need no bin for missing' }),
    valid: z
      .strictObject({
        from: z.number().optional(),
        to: z.number().optional(),
        values: z.array(NumberOrText).min(1).max(10_000).optional(),
      })
      .optional()
      .meta({
        description: 'A number from `from` to `to`, both included, or one of values; others are invalid',
      }),
    texts: z.record(z.string().max(200), z.string().max(200)).optional().meta({
      description:
        'The model\'s names for values of a category, such as {"true": "Yes", "false": "No"}; other values stay unchanged',
    }),
    missing: z
      .array(NumberOrText)
      .max(100)
      .default([])
      .meta({ description: 'Values that mean missing, such as -1 or "NA"' }),
    special: z.array(NumberOrText).max(100).default([]).meta({
      description: 'Values with a special meaning, in no interval: characteristics give them bins',
    }),
    invalid: z
      .union([z.enum(['asMissing', 'asIs', 'noScore']), z.strictObject({ value: NumberOrText })])
      .default('asMissing')
      .meta({ description: 'Treatment of invalid values' }),
  })
  .superRefine((input, context) => {
    const report = (message: string, ...path: (string | number)[]) =>
      context.addIssue({ code: 'custom', message, path })
    const { type, valid } = input
    if (type !== 'number' && (valid?.from !== undefined || valid?.to !== undefined))
      report(`${input.name} is a ${type}: list the valid values`, 'valid')
    if (valid?.from !== undefined && valid.to !== undefined && valid.from > valid.to)
      report('from must not be more than to', 'valid')
    if (type === 'boolean')
      for (const member of ['missing', 'special'] as const)
        if (input[member].length > 0)
          report(`${input.name} is a boolean: it is true, false or missing`, member)
    if (type === 'boolean' && valid) report(`${input.name} is a boolean: both values are valid`, 'valid')
    if (input.texts && type !== 'category')
      report(`${input.name} is a ${type}: only a category has texts`, 'texts')
    const texts = Object.values(input.texts ?? {})
    if (new Set(texts).size < texts.length) report('two values have the same text', 'texts')
    const wanted = type === 'number' ? 'number' : 'string'
    for (const member of ['missing', 'special'] as const)
      for (const [at, value] of input[member].entries())
        if (type !== 'boolean' && typeof value !== wanted)
          report(`${input.name} is a ${type}: this must be a ${wanted}`, member, at)
    for (const [at, value] of (valid?.values ?? []).entries())
      if (typeof value !== wanted)
        report(`${input.name} is a ${type}: this must be a ${wanted}`, 'valid', 'values', at)
    for (const [at, value] of input.special.entries())
      if (input.missing.includes(value))
        report(`${JSON.stringify(value)} is already a missing value`, 'special', at)
    if (typeof input.invalid !== 'object') return
    if (typeof input.invalid.value !== wanted)
      report(`${input.name} is a ${type}: this must be a ${wanted}`, 'invalid', 'value')
    else if (!isValid(input.invalid.value, valid)) report('must be a valid value', 'invalid', 'value')
  })

export type Input = z.output<typeof Input>

/** Whether a value that is neither missing nor special is valid for the model. */
export function isValid(value: number | string | boolean, valid: Input['valid']): boolean {
  if (!valid) return true
  if (valid.values && !(valid.values as unknown[]).includes(value)) return false
  return !(typeof value === 'number' && (value < (valid.from ?? value) || value > (valid.to ?? value)))
}
