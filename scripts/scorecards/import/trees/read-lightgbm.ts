import { z } from 'zod'
import {
  DEFAULT_LEFT,
  IS_SET,
  MISSING_IS_ZERO,
  ZERO_IS_MISSING,
} from '../../../../db/scorecards/definition/trees.ts'
import { UserError } from '../../../cli/user-error.ts'
import { dropUnusedInputs } from './drop-unused-inputs.ts'
import type { ImportedTrees, TreesOptions } from './imported-trees.ts'
import { type ForeignNode, listNodes } from './node-list.ts'

const Leaf = z.object({ leaf_value: z.number(), leaf_count: z.number().optional() })

const Split = z.object({
  split_index: z.int(),
  split_feature: z.int().min(0),
  threshold: z.union([z.number(), z.string()]),
  decision_type: z.string(),
  default_left: z.boolean(),
  missing_type: z.string(),
  left_child: z.unknown(),
  right_child: z.unknown(),
})

const Model = z.object({
  version: z.string().optional(),
  objective: z.string().optional(),
  average_output: z.boolean().optional(), // since version 2.2.3
  num_class: z.int().default(1),
  num_tree_per_iteration: z.int().default(1),
  feature_names: z.array(z.string()).min(1),
  feature_infos: z.record(z.string(), z.looseObject({ values: z.array(z.unknown()).default([]) })).optional(),
  pandas_categorical: z.array(z.array(z.unknown())).nullish(),
  tree_info: z.array(z.looseObject({ tree_structure: z.unknown(), shrinkage: z.number().optional() })).min(1),
})

type Model = z.output<typeof Model>

const MISSING_FLAGS: Record<string, number> = {
  None: MISSING_IS_ZERO,
  Zero: MISSING_IS_ZERO | ZERO_IS_MISSING,
  NaN: 0,
}

/** Whether a JSON document is the output of LightGBM's `dump_model`. */
export const isLightgbmModel = (json: unknown): boolean =>
  z.object({ tree_info: z.array(z.unknown()), feature_names: z.array(z.unknown()) }).safeParse(json).success

/** @throws UserError for unsupported content. */
export function readLightgbm(json: unknown, file: string, options: TreesOptions): ImportedTrees {
  const parsed = Model.safeParse(json)
  if (!parsed.success)
    throw new UserError(
      `${file} is not the output of LightGBM's dump_model:\n${z.prettifyError(parsed.error)}`,
    )
  const model = parsed.data
  if (model.num_class > 1 || model.num_tree_per_iteration > 1)
    throw new UserError(`${file}: models of ${model.num_class} classes are not supported`)
  const { objective, sigmoid } = parseObjective(model.objective ?? options.objective, file)
  const nodes = listNodes(
    model.tree_info.map(({ tree_structure }) => tree_structure),
    (node, tree) => describe(node, tree, file),
  )
  const categories = categoriesOf(model, file)
  const isAverage = isAveraged(model, file, options)
  return dropUnusedInputs({
    model: {
      kind: 'trees',
      tool: 'lightgbm',
      objective,
      event: options.event,
      sigmoid,
      divisor: isAverage ? model.tree_info.length : 1,
      inputs: model.feature_names.map((name, at) => {
        const known = categories.get(at)
        return known ? { name, categories: known } : { name }
      }),
      ...nodes,
    },
    understood: [
      `LightGBM ${model.version ?? ''}, objective ${model.objective ?? options.objective}, ${model.tree_info.length} trees, ` +
        `${model.feature_names.length} inputs${isAverage ? ', the average of the trees' : ''}`,
      ...[...categories].map(
        ([at, known]) =>
          `${model.feature_names[at]} is one of ${known.length} categories, in the order of pandas`,
      ),
    ],
    notes: nodes.mean ? [] : ['No explanations: the dump has no leaf counts'],
  })
}

function describe(node: unknown, tree: number, file: string): ForeignNode<unknown> {
  const place = `${file}: tree ${tree}`
  if (typeof node === 'object' && node !== null && 'leaf_coeff' in node)
    throw new UserError(`${place}: leaves with linear models are not supported; train with linear_tree=false`)
  const leaf = Leaf.safeParse(node)
  if (leaf.success) return { leaf: leaf.data.leaf_value, cover: leaf.data.leaf_count }
  const parsed = Split.safeParse(node)
  if (!parsed.success) throw new UserError(`${place} has an invalid node:\n${z.prettifyError(parsed.error)}`)
  const split = parsed.data
  const missing = MISSING_FLAGS[split.missing_type]
  if (missing === undefined)
    throw new UserError(
      `${place}, split ${split.split_index}: missing_type ${split.missing_type} is not supported`,
    )
  const { decision_type, threshold } = split
  const children = { left: split.left_child, right: split.right_child }
  if (decision_type === '<=' && typeof threshold === 'number')
    return {
      feature: split.split_feature,
      split: threshold,
      flags: missing | (split.default_left ? DEFAULT_LEFT : 0),
      ...children,
    }
  if (decision_type === '==') {
    // a missing category goes right, regardless of default_left
    const codes = String(threshold).split('||').map(Number)
    if (!codes.every((code) => Number.isInteger(code) && code >= 0))
      throw new UserError(
        `${place}, split ${split.split_index}: ${threshold} is not a list of category codes`,
      )
    return { feature: split.split_feature, split: codes, flags: IS_SET, ...children }
  }
  throw new UserError(`${place}, split ${split.split_index}: decision_type ${decision_type} is not supported`)
}

/**
 * Whether the trees are averaged, as in a random forest. Files of LightGBM 2.2.2 and older do not contain this; there a
 * learning rate other than 1 means that the trees are summed, because a random forest has no learning rate.
 *
 * @throws UserError that asks for --booster if it is not known.
 */
function isAveraged({ average_output, tree_info }: Model, file: string, { booster }: TreesOptions): boolean {
  if (average_output !== undefined) return average_output
  if (booster !== undefined) return booster === 'rf'
  if (tree_info.length === 1 || tree_info.some(({ shrinkage = 1 }) => shrinkage !== 1)) return false
  throw new UserError(
    `${file} (LightGBM 2.2.2 or older) does not contain whether its trees are summed or averaged: give ` +
      '--booster gbdt or --booster rf, as in training (boosting_type of scikit-learn)',
  )
}

/** Objectives that predict the sum itself; the suffix `sqrt` squares it. */
const IDENTITY: ReadonlySet<string> = new Set([
  'regression',
  'regression_l2',
  'regression_l1',
  'huber',
  'fair',
  'quantile',
  'mape',
])

/** `binary sigmoid:1`, `regression`. */
function parseObjective(text: string | undefined, file: string) {
  if (text === undefined)
    throw new UserError(
      `${file} has no objective, so the meaning of its sum is not known: give --objective binary or --objective regression`,
    )
  const [name = '', ...parameters] = text.split(' ')
  if (name === 'binary') {
    const sigmoid = parameters.find((parameter) => parameter.startsWith('sigmoid:'))?.slice('sigmoid:'.length)
    return { objective: 'logistic', sigmoid: sigmoid === undefined ? 1 : Number(sigmoid) } as const
  }
  if (name === 'cross_entropy' || name === 'xentropy') return { objective: 'logistic', sigmoid: 1 } as const
  if (IDENTITY.has(name) && !parameters.includes('sqrt'))
    return { objective: 'regression', sigmoid: 1 } as const
  throw new UserError(
    `${file}: objective ${text} is not supported; supported are binary, cross_entropy, ${[...IDENTITY].join(', ')}`,
  )
}

/** Returns the pandas categories by feature index: the lists are in the order of the categorical features. */
function categoriesOf({ pandas_categorical, feature_infos, feature_names }: Model, file: string) {
  const lists = pandas_categorical ?? []
  if (lists.length === 0) return new Map<number, string[]>()
  const categorical = feature_names.flatMap((name, at) => (feature_infos?.[name]?.values.length ? [at] : []))
  if (categorical.length !== lists.length)
    throw new UserError(
      `${file}: pandas_categorical has ${lists.length} lists of categories but feature_infos ${categorical.length} categorical ` +
        'features, so their assignment is not known; convert columns with a single category to numbers before training',
    )
  return new Map(categorical.map((at, n) => [at, (lists[n] as unknown[]).map(String)]))
}
