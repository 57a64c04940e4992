import type { z } from 'zod'
import type { Platform } from '../../../db/capture/capture.ts'
import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import type { FeatureMap } from './feature-map.ts'
import type { Format } from './formats.ts'
import type { ReasonTexts } from './reason-texts.ts'
import type { ScalingOptions } from './scaling-options.ts'
import type { TreesOptions } from './trees/imported-trees.ts'

/** Options that the analyst gives in addition to the file. */
export interface ImportOptions extends ScalingOptions, Omit<TreesOptions, 'baseScore'> {
  readonly format?: Format | undefined
  readonly name?: string | undefined
  readonly bad?: string | undefined
  readonly platforms?: readonly Platform[] | undefined
  readonly map?: FeatureMap | undefined
  readonly basePoints?: number | undefined
  /** Files with the coefficients and with the weights of evidence of the bins. */
  readonly model?: string | undefined
  readonly bins?: string | undefined
  readonly xgboostBaseScore?: number | undefined
  /** PMML: the output that is the score, and the bad category. */
  readonly scoreOutput?: string | undefined
  readonly badCategory?: string | undefined
  /** Override the texts of a file or a map. */
  readonly texts?: ReasonTexts | undefined
}

export type Definition = z.input<typeof BuiltScorecard>

/** The format-specific part of a definition. */
interface Built extends Omit<Definition, 'format' | 'name' | 'source' | 'bad' | 'platforms'> {
  readonly inputs: Definition['inputs']
}

/** The result of reading a file. */
export interface ImportedModel {
  readonly tool: string
  readonly built: Built
  readonly understood: readonly string[]
  readonly notes: readonly string[]
  /** Number of matching verification rows in the file. */
  readonly verified?: number
}
