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

/** Whether a JSON document is what XGBoost's `dump_model` writes with dump_format json. */
export const isXgboostDump = (json: unknown): boolean =>
  Array.isArray(json) &&
  json.length > 0 &&
  json.every((tree) => typeof tree === 'object' && tree !== null && ('nodeid' in tree || 'leaf' in tree))

/**
 * Reads what `dump_model` writes, which tells neither the objective, nor the base score, nor the booster.
 *
 * @throws UserError that asks for what the dump does not tell, or names what is not supported.
 */
export function readXgboostDump(json: unknown, file: string, options: TreesOptions): ImportedTrees {
  if (options.objective === undefined || options.baseScore === undefined)
    throw new UserError(
      `${file} is a dump of XGBoost, which tells neither objective nor base score: say --objective binary:logistic and ` +
        '--xgboost-base-score 0.5, as they were in training, or import the file of save_model, which has both',
    )
  if (options.booster !== 'gbtree')
    throw new UserError(
      options.booster === undefined
        ? `${file} is a dump of XGBoost, which does not tell its booster: say --booster gbtree if it was trained with booster ` +
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
      `XGBoost, dump, objective ${options.objective}, ${nodes.roots.length} trees, ${names.length} inputs in use, margin ${head.base} to begin with`,
    ],
    notes: nodes.mean ? [] : ['No explanation: the dump has no cover; dump with with_stats=True'],
  }
}

function describe(node: unknown, tree: number, names: string[], file: string): ForeignNode<unknown> {
  const leaf = Leaf.safeParse(node)
  if (leaf.success) return leaf.data
  const parsed = Split.safeParse(node)
  const place = `${file}: tree ${tree}`
  if (!parsed.success)
    throw new UserError(`${place} has a node that is not understood:\n${z.prettifyError(parsed.error)}`)
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
  // of a set, yes is the right child
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
