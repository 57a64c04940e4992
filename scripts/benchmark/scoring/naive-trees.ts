import type { Features } from '../../../db/capture/features.ts'
import type { Scorecard } from '../../../db/scorecards/definition/definition.ts'
import { DEFAULT_LEFT, type TreesModel } from '../../../db/scorecards/definition/trees.ts'

/** A node in the format of an XGBoost dump. */
interface DumpedNode {
  readonly nodeid: number
  readonly leaf?: number
  readonly split: string
  readonly split_condition: number
  readonly yes: number
  readonly no: number
  readonly missing: number
  readonly mean: number
  readonly children: readonly DumpedNode[]
}

/** Converts the trees of a card to the nested objects of a dump. */
export function dumpTrees({ model }: Scorecard): DumpedNode[] {
  if (model?.kind !== 'trees') throw new Error('Not a card of trees')
  return model.roots.map((root) => dumpNode(model, root))
}

function dumpNode(model: TreesModel, node: number): DumpedNode {
  const at = (list: readonly number[] | undefined) => list?.[node] ?? 0
  const [yes, no] = [at(model.left), at(model.right)]
  const common = { nodeid: node, mean: at(model.mean), yes, no }
  if (yes === 0)
    return { ...common, leaf: at(model.value), split: '', split_condition: 0, missing: 0, children: [] }
  return {
    ...common,
    split: model.inputs[at(model.feature)]?.name ?? '',
    split_condition: at(model.value),
    missing: (at(model.flags) & DEFAULT_LEFT) === 0 ? no : yes,
    children: [dumpNode(model, yes), dumpNode(model, no)],
  }
}

/** Returns the log-odds of a row and the contribution of each input naively: follows the dump from child to child by id. */
export function walkNaively(trees: readonly DumpedNode[], base: number, features: Features) {
  const contributions: Record<string, number> = {}
  const walk = (node: DumpedNode): number => {
    if (node.leaf !== undefined) return node.leaf
    const value = (features as Record<string, unknown>)[node.split]
    const next =
      value === undefined ? node.missing : Number(value) < node.split_condition ? node.yes : node.no
    const child = node.children.find(({ nodeid }) => nodeid === next)
    if (!child) throw new Error(`Node ${node.nodeid} has no child ${next}`)
    contributions[node.split] = (contributions[node.split] ?? 0) + child.mean - node.mean
    return walk(child)
  }
  const logOdds = trees.reduce((sum, tree) => sum + walk(tree), base)
  const reasons = Object.entries(contributions)
    .filter(([, points]) => points > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name)
    .slice(0, 4)
  return { logOdds, reasons, contributions }
}
