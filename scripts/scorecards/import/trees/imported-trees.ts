import type { z } from 'zod'
import type { TreesModel } from '../../../../db/scorecards/definition/trees.ts'

/** What a file of trees was understood to say. */
export interface ImportedTrees {
  readonly model: z.input<typeof TreesModel>
  /** Inputs with categories of which the tool refuses a row that has another one; of the others, such a row is missing. */
  readonly closedCategories?: readonly string[]
  /** For a person, a sentence each. */
  readonly understood: readonly string[]
  /** What the file does not tell and the model does not need; a sentence each. */
  readonly notes: readonly string[]
}

/** Boosters of XGBoost (gbtree, dart) and boosting types of LightGBM (gbdt, rf) that a file may leave open. */
export const BOOSTERS = ['gbtree', 'dart', 'gbdt', 'rf'] as const

/** What files of trees lack, or leave open. */
export interface TreesOptions {
  readonly booster?: (typeof BOOSTERS)[number] | undefined
  /** Of XGBoost dumps, which do not say it. */
  readonly objective?: string | undefined
  /** As XGBoost's parameter `base_score`; of dumps, which do not say it. */
  readonly baseScore?: number | undefined
  /** XGBoost: all rounds, or up to the best one where training stopped early. */
  readonly rounds?: 'all' | 'best' | undefined
  /** What class 1 is; bad where left out. */
  readonly event?: 'bad' | 'good' | undefined
}
