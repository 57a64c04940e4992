import type { PmmlNode, PmmlTree } from '../../../../db/scorecards/definition/pmml.ts'
import type { Fields } from './fields.ts'
import { evaluatePredicate } from './predicates.ts'
import { mostProbable, NOTHING, normalise, type Prediction } from './prediction.ts'
import { rescale } from './targets.ts'
import { numberOf } from './values.ts'

/** @see https://dmg.org/pmml/v4-4-1/TreeModel.html */
export function evaluateTree(tree: PmmlTree, fields: Fields): Prediction {
  const root = nodeAt(tree, 0)
  const { missingValueStrategy: strategy } = tree
  const truth = evaluatePredicate(root.predicate, fields)
  if (strategy === 'weightedConfidence' || strategy === 'aggregateNodes') {
    if (truth === false) return NOTHING
    return strategy === 'aggregateNodes'
      ? aggregateNodes(tree, root, fields)
      : weightConfidence(tree, root, fields)
  }
  if (truth !== true) return NOTHING
  const node = findNode(tree, root, fields)
  return node ? predictionOf(tree, node) : NOTHING
}

function nodeAt({ nodes }: PmmlTree, index: number): PmmlNode {
  // packed trees of large files are not supported here
  const node = Array.isArray(nodes) ? nodes[index] : undefined
  if (!node) throw new Error(`no node ${index}`)
  return node
}

const childrenOf = (tree: PmmlTree, { children }: PmmlNode): PmmlNode[] =>
  children.map((index) => nodeAt(tree, index))

/** Finds the node of a record; undefined if there is none. */
function findNode(tree: PmmlTree, node: PmmlNode, fields: Fields): PmmlNode | undefined {
  if (node.children.length === 0) return node
  for (const child of childrenOf(tree, node)) {
    const truth = evaluatePredicate(child.predicate, fields)
    if (truth === true) return findNode(tree, child, fields)
    if (truth === undefined && tree.missingValueStrategy !== 'none')
      switch (tree.missingValueStrategy) {
        case 'lastPrediction':
          return node
        case 'defaultChild':
          return node.defaultChild === undefined
            ? undefined
            : findNode(tree, nodeAt(tree, node.defaultChild), fields)
        default:
          return undefined
      }
  }
  return afterNoTrueChild(tree, node)
}

const afterNoTrueChild = ({ noTrueChildStrategy }: PmmlTree, node: PmmlNode): PmmlNode | undefined =>
  noTrueChildStrategy === 'returnLastPrediction' && node.score !== undefined ? node : undefined

function predictionOf(tree: PmmlTree, node: PmmlNode): Prediction {
  const { score, id: entityId } = node
  if (tree.function === 'regression')
    return score === undefined ? NOTHING : { value: rescale(numberOf(score), tree), entityId }
  const probabilities = sharesOf(node)
  if (!probabilities) return NOTHING
  const confidences = confidencesOf(node)
  const value = score ?? mostProbable(probabilities).value
  return { value, probabilities, entityId, ...(confidences && { confidences }) }
}

/** Returns the probabilities of a node; docs/pmml.md: without ScoreDistribution its score has probability 1. */
function sharesOf({ score, distribution }: PmmlNode): Map<string, number> | undefined {
  if (!distribution) return score === undefined ? undefined : new Map([[score, 1]])
  const given = distribution.every(({ probability }) => probability !== undefined)
  const shares = distribution.map(({ value, recordCount, probability = 0 }): [string, number] => [
    value,
    given ? probability : recordCount,
  ])
  // without records there are no probabilities
  return shares.every(([, share]) => share === 0) ? undefined : normalise(new Map(shares))
}

function confidencesOf({ distribution = [] }: PmmlNode): Map<string, number> | undefined {
  const confidences = new Map<string, number>()
  for (const { value, confidence } of distribution)
    if (confidence !== undefined) confidences.set(value, confidence)
  return confidences.size > 0 ? confidences : undefined
}

const recordsOf = ({ recordCount, distribution = [] }: PmmlNode): number =>
  recordCount ?? distribution.reduce((sum, entry) => sum + entry.recordCount, 0)

/** Lists the children to follow: one that matches, or all that may match. */
function branchesOf(tree: PmmlTree, node: PmmlNode, fields: Fields): PmmlNode[] {
  const branches: PmmlNode[] = []
  for (const child of childrenOf(tree, node)) {
    const truth = evaluatePredicate(child.predicate, fields)
    if (truth !== false) branches.push(child)
    // children after one that matches are not reached
    if (truth === true && (branches.length === 1 || tree.missingValueStrategy === 'aggregateNodes')) break
  }
  return branches
}

/** Sums the records of all leaves that may be reached. */
function aggregateNodes(tree: PmmlTree, root: PmmlNode, fields: Fields): Prediction {
  const leaves: PmmlNode[] = []
  const walk = (node: PmmlNode): void => {
    const branches = branchesOf(tree, node, fields)
    if (node.children.length === 0) leaves.push(node)
    else if (branches.length > 0) branches.forEach(walk)
    else {
      const last = afterNoTrueChild(tree, node)
      if (last) leaves.push(last)
    }
  }
  walk(root)
  const [only] = leaves
  if (only && leaves.length === 1) return predictionOf(tree, only)
  const counts = new Map<string, number>()
  for (const { distribution = [] } of leaves)
    for (const { value, recordCount } of distribution)
      counts.set(value, (counts.get(value) ?? 0) + recordCount)
  return [...counts.values()].some((count) => count > 0) ? mostProbable(normalise(counts)) : NOTHING
}

/** Averages the confidences of branches that may match, weighted by their records, at every level. */
function weightConfidence(tree: PmmlTree, node: PmmlNode, fields: Fields): Prediction {
  if (node.children.length === 0) return predictionOf(tree, node)
  const branches = branchesOf(tree, node, fields)
  const [only] = branches
  if (!only) {
    const last = afterNoTrueChild(tree, node)
    return last ? predictionOf(tree, last) : NOTHING
  }
  if (branches.length === 1 && evaluatePredicate(only.predicate, fields) === true)
    return weightConfidence(tree, only, fields)
  const all = branches.reduce((sum, branch) => sum + recordsOf(branch), 0)
  const sums = new Map<string, number>()
  for (const branch of branches) {
    if (recordsOf(branch) === 0) continue
    const { probabilities } = weightConfidence(tree, branch, fields)
    // otherwise the confidences would not add up to 1
    if (!probabilities) return NOTHING
    for (const [value, share] of probabilities)
      sums.set(value, (sums.get(value) ?? 0) + (share * recordsOf(branch)) / all)
  }
  return mostProbable(sums)
}
