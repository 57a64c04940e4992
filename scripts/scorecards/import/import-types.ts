import type { z } from 'zod'
import type { Platform } from '../../../db/capture/capture.ts'
import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import type { FeatureMap } from './feature-map.ts'
import type { Format } from './formats.ts'
import type { ReasonTexts } from './reason-texts.ts'
import type { ScalingOptions } from './scaling-options.ts'
import type { TreesOptions } from './trees/imported-trees.ts'

/** What an analyst says beside the file. */
export interface ImportOptions extends ScalingOptions, Omit<TreesOptions, 'baseScore'> {
  readonly format?: Format | undefined
  readonly name?: string | undefined
  readonly bad?: string | undefined
  readonly platforms?: readonly Platform[] | undefined
  readonly map?: FeatureMap | undefined
  readonly basePoints?: number | undefined
  /** Files of the coefficients and of the bins with their weights of evidence. */
  readonly model?: string | undefined
  readonly bins?: string | undefined
  readonly xgboostBaseScore?: number | undefined
  /** Of PMML: the output that is the score, and the category that is bad. */
  readonly scoreOutput?: string | undefined
  readonly badCategory?: string | undefined
  /** In place of those that a file or a map has. */
  readonly texts?: ReasonTexts | undefined
}

export type Definition = z.input<typeof BuiltScorecard>

/** The part of a definition that a format gives; the rest is the same for all. */
interface Built extends Omit<Definition, 'format' | 'name' | 'source' | 'bad' | 'platforms'> {
  readonly inputs: Definition['inputs']
}

/** What a reader makes of a file. */
export interface ImportedModel {
  readonly tool: string
  readonly built: Built
  readonly understood: readonly string[]
  readonly notes: readonly string[]
  /** Rows that the file brings and that came out as they should. */
  readonly verified?: number
}
