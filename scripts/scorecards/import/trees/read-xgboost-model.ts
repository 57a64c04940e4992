import { z } from 'zod'
import { DEFAULT_LEFT, IS_SET, SET_IS_RIGHT } from '../../../../db/scorecards/definition/trees.ts'
import { UserError } from '../../../cli/user-error.ts'
import { dropUnusedInputs } from './drop-unused-inputs.ts'
import type { ImportedTrees, TreesOptions } from './imported-trees.ts'
import { type ForeignNode, listNodes } from './node-list.ts'
import { listXgboostCategories, XgboostCategories } from './xgboost-categories.ts'
import { openXgboost } from './xgboost-objective.ts'
import { findTreeWeights, weighLeaf } from './xgboost-tree-weights.ts'

const integers = z.array(z.int())

const Tree = z.object({
  split_indices: integers,
  split_conditions: z.array(z.number().nullable()), // null (written NaN) for splits by category
  split_type: integers.optional(),
  left_children: integers,
  right_children: integers,
  default_left: z.array(z.union([z.int(), z.boolean()])),
  sum_hessian: z.array(z.number()).optional(),
  categories: integers.default([]),
  categories_nodes: integers.default([]),
  categories_segments: integers.default([]),
  categories_sizes: integers.default([]),
})

type Tree = z.output<typeof Tree>

const Forest = z.looseObject({
  gbtree_model_param: z
    .object({ num_parallel_tree: z.string().default('1') })
    .default({ num_parallel_tree: '1' }),
  trees: z.array(Tree).min(1),
  cats: XgboostCategories.optional(), // since version 3.1
})

const Weights = z.array(z.number())

/** Booster gbtree, or dart, which contains one and a weight per tree; since version 3.3 gbtree also has the weights. */
const Booster = z.looseObject({
  name: z.string(),
  model: Forest.extend({ weight_drop: Weights.optional() }).optional(),
  gbtree: z.looseObject({ model: Forest }).optional(),
  weight_drop: Weights.optional(),
})

const Model = z.object({
  version: z.array(z.int()),
  learner: z.object({
    attributes: z.record(z.string(), z.string()).default({}),
    feature_names: z.array(z.string()).default([]),
    learner_model_param: z.object({
      base_score: z.string(),
      num_class: z.string().default('0'),
      num_target: z.string().default('1'),
      num_feature: z.string(),
    }),
    objective: z.object({ name: z.string() }),
    gradient_booster: Booster,
  }),
})

/** Whether a JSON document is the output of XGBoost's `save_model`. */
export const isXgboostModel = (json: unknown): boolean =>
  z.object({ learner: z.object({ gradient_booster: z.unknown() }) }).safeParse(json).success

/** @throws UserError for unsupported content. */
export function readXgboostModel(json: unknown, file: string, options: TreesOptions): ImportedTrees {
  const kind = (json as { learner: { gradient_booster?: { name?: unknown } } }).learner.gradient_booster?.name
  if (kind !== 'gbtree' && kind !== 'dart')
    throw new UserError(`${file}: booster ${kind} is not supported; train with booster gbtree or dart`)
  const parsed = Model.safeParse(json)
  if (!parsed.success)
    throw new UserError(
      `${file} is not a model saved by XGBoost 1.0 or newer:\n${z.prettifyError(parsed.error)}`,
    )
  const { version, learner } = parsed.data
  const { num_class, num_target, num_feature, base_score } = learner.learner_model_param
  if (Number(num_class) > 1) throw new UserError(`${file}: models of ${num_class} classes are not supported`)
  if (Number(num_target) > 1)
    throw new UserError(`${file}: models of ${num_target} targets are not supported`)
  requireKnownBase(learner.objective.name, version, file)
  const head = openXgboost(learner.objective.name, parseBaseScore(base_score), file, options)
  const booster = learner.gradient_booster
  const forest = booster.gbtree?.model ?? booster.model
  if (!forest) throw new UserError(`${file} has no trees`)
  const weights = findTreeWeights(booster, forest.trees.length, file)
  const perRound = Number(forest.gbtree_model_param.num_parallel_tree) || 1
  const { best_iteration } = learner.attributes
  const kept = countTrees(forest.trees.length, perRound, best_iteration, options.rounds, file)
  const trees = forest.trees.slice(0, kept)
  const names = namesOf(learner.feature_names, Number(num_feature))
  const categories = listXgboostCategories(forest.cats, file)

  return dropUnusedInputs({
    model: {
      ...head,
      inputs: names.map((name, at) => {
        const known = categories.get(at)
        return known ? { name, categories: [...known] } : { name }
      }),
      ...listNodes<Place>(
        trees.map((tree, at) => ({
          tree: checkLengths(tree, at, file),
          sets: setsOf(tree),
          weight: weights?.[at] ?? 1,
          node: 0,
        })),
        (place) => describe(place),
      ),
    },
    closedCategories: [...categories.keys()].map((at) => names[at] as string),
    understood: [
      `XGBoost ${version.join('.')}, objective ${learner.objective.name}, ${kept} trees, ${names.length} inputs, base margin ${head.base}`,
      ...(weights ? ['Trees are weighted by weight_drop (DART)'] : []),
      ...[...categories].map(([at, known]) => `${names[at]} is one of ${known.length} categories`),
    ],
    notes: [
      ...(learner.feature_names.length === 0
        ? ['The model has no feature names: inputs are named f0, f1, …']
        : []),
      ...(trees.every(({ sum_hessian }) => sum_hessian)
        ? []
        : ['No explanations: the model has no sum_hessian']),
    ],
  })
}

/** @throws UserError if an older version used the base score as a probability and newer ones do not. */
function requireKnownBase(objective: string, version: readonly number[], file: string): void {
  const [major = 0, minor = 0] = version
  if (objective === 'binary:logitraw' && (major < 1 || (major === 1 && minor < 7)))
    throw new UserError(
      `${file}: XGBoost ${version.join('.')} interprets the base_score of ${objective} differently from newer versions; ` +
        'load the model with version 1.7 or newer, check its predictions, and save it again',
    )
}

interface Place {
  readonly tree: Tree
  readonly sets: ReadonlyMap<number, readonly number[]>
  /** Index of the tree. */
  readonly weight: number
  readonly node: number
}

function describe(place: Place): ForeignNode<Place> {
  const { tree, sets, weight, node } = place
  const left = tree.left_children[node] as number
  const right = tree.right_children[node] as number
  const condition = tree.split_conditions[node] ?? Number.NaN
  if (left < 0) return { leaf: weighLeaf(condition, weight), cover: tree.sum_hessian?.[node] }
  const isSet = tree.split_type?.[node] === 1
  const defaultLeft = tree.default_left[node] ? DEFAULT_LEFT : 0
  return {
    feature: tree.split_indices[node] as number,
    split: isSet ? (sets.get(node) ?? []) : condition,
    flags: defaultLeft | (isSet ? IS_SET | SET_IS_RIGHT : 0),
    left: { ...place, node: left },
    right: { ...place, node: right },
  }
}

/** Returns the categories of each node with a categorical split. */
function setsOf({ categories, categories_nodes, categories_segments, categories_sizes }: Tree) {
  return new Map(
    categories_nodes.map((node, at) => {
      const begin = categories_segments[at] as number
      return [node, categories.slice(begin, begin + (categories_sizes[at] as number))]
    }),
  )
}

function checkLengths(tree: Tree, at: number, file: string): Tree {
  const nodes = tree.left_children.length
  for (const member of ['right_children', 'split_indices', 'split_conditions', 'default_left'] as const)
    if (tree[member].length !== nodes)
      throw new UserError(`${file}: tree ${at} has ${nodes} nodes but ${tree[member].length} ${member}`)
  for (const child of [...tree.left_children, ...tree.right_children])
    if (child >= nodes) throw new UserError(`${file}: tree ${at} has no node ${child}`)
  return tree
}

/** A number, or since version 3.1 a list of one number. */
function parseBaseScore(text: string): number {
  const inner = /^\[([^,\]]+)\]$/.exec(text)?.[1] ?? text
  return inner.trim() === '' ? Number.NaN : Number(inner)
}

/** Returns the number of trees to sum, considering early stopping. */
function countTrees(
  all: number,
  perRound: number,
  bestIteration: string | undefined,
  rounds: TreesOptions['rounds'],
  file: string,
): number {
  const best = bestIteration === undefined ? all : (Number(bestIteration) + 1) * perRound
  if (rounds === 'all' || best >= all) return all
  if (rounds === 'best') return best
  throw new UserError(
    `${file}: training stopped early, round ${bestIteration} of ${all / perRound} is the best. ` +
      `scikit-learn's predict takes rounds up to the best one, Booster.predict takes all: give --rounds best or --rounds all`,
  )
}

const namesOf = (names: readonly string[], count: number): readonly string[] =>
  names.length > 0 ? names : Array.from({ length: count }, (_, at) => `f${at}`)
