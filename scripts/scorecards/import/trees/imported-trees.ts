import type { z } from 'zod'
import type { TreesModel } from '../../../../db/scorecards/definition/trees.ts'

/** The result of reading a tree model. */
export interface ImportedTrees {
  readonly model: z.input<typeof TreesModel>
  /** Inputs for which the tool rejects unknown categories; for other inputs an unknown category is missing. */
  readonly closedCategories?: readonly string[]
  /** Sentences for the analyst. */
  readonly understood: readonly string[]
  /** Sentences about missing, unneeded information. */
  readonly notes: readonly string[]
}

/** Boosters of XGBoost (gbtree, dart) and boosting types of LightGBM (gbdt, rf) that a file may leave open. */
export const BOOSTERS = ['gbtree', 'dart', 'gbdt', 'rf'] as const

/** Information that files of tree models may lack. */
export interface TreesOptions {
  readonly booster?: (typeof BOOSTERS)[number] | undefined
  /** For XGBoost dumps, which lack it. */
  readonly objective?: string | undefined
  /** XGBoost's parameter `base_score`; for dumps, which lack it. */
  readonly baseScore?: number | undefined
  /** XGBoost with early stopping: all rounds, or up to the best one. */
  readonly rounds?: 'all' | 'best' | undefined
  /** Meaning of class 1; bad by default. */
  readonly event?: 'bad' | 'good' | undefined
}
