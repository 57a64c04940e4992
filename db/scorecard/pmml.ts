import { z } from 'zod'
import type { ModelNames } from './model-faults.ts'

/** Not there yet: no such model is taken. */
export const PmmlModel = z.strictObject({ kind: z.literal('pmml') })

export type PmmlModel = z.output<typeof PmmlModel>

export function namesOfPmml(_model: PmmlModel): ModelNames {
  return { inputs: [], reasonCodes: [] }
}
