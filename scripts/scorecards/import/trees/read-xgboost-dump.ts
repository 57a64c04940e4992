import { z } from 'zod'
import { DEFAULT_LEFT, IS_SET, SET_IS_RIGHT } from '../../../../db/scorecards/definition/trees.ts'
import { UserError } from '../../../cli/user-error.ts'
import type { ImportedTrees, TreesOptions } from './imported-trees.ts'
import { type ForeignNode, listNodes } from './node-list.ts'
import { openXgboost } from './xgboost-objective.ts'

const Leaf = z.object({ leaf: z.number(), cover: z.number().optional() })

const Split = z.object({
  nodeid: z.int(),
  split: z.string(),
  split_condition: z.union([z.number(), z.array(z.int())]).optional(),
  yes: z.int(),
  no: z.int(),
  missing: z.int().optional(),
  children: z.tuple([z.unknown(), z.unknown()]),
})

/** Whether a JSON document is the output of XGBoost's `dump_model` with dump_format json. */
export const isXgboostDump = (json: unknown): boolean =>
  Array.isArray(json) &&
  json.length > 0 &&
  json.every((tree) => typeof tree === 'object' && tree !== null && ('nodeid' in tree || 'leaf' in tree))

/**
 * Reads the output of `dump_model`, which has neither the objective, nor the base score, nor the booster.
 *
 * @throws UserError for missing options and for unsupported content.
 */
export function readXgboostDump(json: unknown, file: string, options: TreesOptions): ImportedTrees {
  if (options.objective === undefined || options.baseScore === undefined)
    throw new UserError(
      `${file} is an XGBoost dump, which has neither objective nor base score: give them as in training, for example ` +
        '--objective binary:logistic --xgboost-base-score 0.5, or import the file of save_model, which has both',
    )
  if (options.booster !== 'gbtree')
    throw new UserError(
      options.booster === undefined
        ? `${file} is an XGBoost dump, which does not contain the booster: give --booster gbtree if it was trained with booster ` +
            'gbtree (the default) and without rate_drop. A dump of dart lacks the weights of its trees: import the file of save_model'
        : `${file}: a dump lacks the weights of the trees of booster ${options.booster}; import the file of save_model`,
    )
  const head = openXgboost(options.objective, options.baseScore, file, options)
  const names: string[] = []
  const nodes = listNodes(json as unknown[], (node, tree) => describe(node, tree, names, file))
  return {
    model: {
      ...head,
      inputs: names.map((name) => ({ name })),
      ...nodes,
    },
    understood: [
      `XGBoost, dump, objective ${options.objective}, ${nodes.roots.length} trees, ${names.length} inputs in use, base margin ${head.base}`,
    ],
    notes: nodes.mean ? [] : ['No explanations: the dump has no cover; dump with with_stats=True'],
  }
}

function describe(node: unknown, tree: number, names: string[], file: string): ForeignNode<unknown> {
  const leaf = Leaf.safeParse(node)
  if (leaf.success) return leaf.data
  const parsed = Split.safeParse(node)
  const place = `${file}: tree ${tree}`
  if (!parsed.success) throw new UserError(`${place} has an invalid node:\n${z.prettifyError(parsed.error)}`)
  const { nodeid, split, split_condition, yes, no, missing, children } = parsed.data
  if (split_condition === undefined)
    throw new UserError(
      `${place}, node ${nodeid}: splits by indicator features (type i of the feature map) are not supported; dump without a feature map`,
    )
  const child = (id: number) => {
    const found = children.find((candidate) => (candidate as { nodeid?: unknown } | null)?.nodeid === id)
    if (!found) throw new UserError(`${place}, node ${nodeid} has no child ${id}`)
    return found
  }
  // for a set, yes is the right child
  const [left, right] = Array.isArray(split_condition) ? [no, yes] : [yes, no]
  return {
    feature: indexOf(names, split),
    split: split_condition,
    flags:
      (missing === left ? DEFAULT_LEFT : 0) | (Array.isArray(split_condition) ? IS_SET | SET_IS_RIGHT : 0),
    left: child(left),
    right: child(right),
  }
}

function indexOf(names: string[], name: string): number {
  const at = names.indexOf(name)
  return at >= 0 ? at : names.push(name) - 1
}
