import { z } from 'zod'

/** Metrics of a process as prom-client gives them; a value that is not a number is null in JSON. */
const Metrics = z.array(
  z.looseObject({
    name: z.string(),
    type: z.string(),
    values: z.array(z.looseObject({ value: z.number().nullable() })),
  }),
)

export type ProcessMetrics = z.output<typeof Metrics>

/** Request of the primary process of web to the others. */
export const Question = z.object({ type: z.literal('inkling:metrics?') })

export const QUESTION: z.input<typeof Question> = { type: 'inkling:metrics?' }

/** Their response, which they also send before they end. */
export const Answer = z.object({ type: z.literal('inkling:metrics'), metrics: Metrics })
