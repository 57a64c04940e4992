import { z } from 'zod'
import type { ModelNames } from './model-faults.ts'

/** Not there yet: no such model is taken. */
export const TreesModel = z.strictObject({ kind: z.literal('trees') })

export type TreesModel = z.output<typeof TreesModel>

export function namesOfTrees(_model: TreesModel): ModelNames {
  return { inputs: [], reasonCodes: [] }
}
