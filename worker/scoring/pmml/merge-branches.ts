import type { PmmlNode, PmmlTree } from '../../../db/scorecards/definition/pmml.ts'
import { type NodeTable, testNode } from './node-table.ts'
import { FALSE, UNKNOWN } from './predicates.ts'
import { categoryOf, indexOfMax, type Prediction } from './prediction.ts'
import type { Frame } from './program.ts'
import type { RegressionTarget } from './regression.ts'

/** A compiled tree: the prediction of each node is created once. */
export interface Tree {
  readonly nodes: readonly PmmlNode[]
  readonly table: NodeTable
  readonly predictions: readonly Prediction[]
  /** Whether a node counts as a leaf if none of its children matches. */
  readonly isEnd: (at: number) => boolean
}

type Merge = (at: number, frame: Frame) => Prediction

/** Compiles the strategies that combine several branches. */
export function compileMerge(
  strategy: PmmlTree['missingValueStrategy'],
  tree: Tree,
  categories: readonly string[],
  target: RegressionTarget,
): Merge | undefined {
  if (strategy === 'weightedConfidence') return mergeByConfidence(tree, categories)
  return strategy === 'aggregateNodes' ? mergeRecords(tree, categories, target) : undefined
}

/** Averages the confidences of all children that may match, weighted by their record counts, recursively. */
function mergeByConfidence({ nodes, table, predictions, isEnd }: Tree, categories: readonly string[]): Merge {
  const below = (at: number, frame: Frame): readonly number[] | undefined => {
    const candidates = nodes[at]?.children ?? []
    if (candidates.length === 0) return predictions[at]?.confidences
    const truths = candidates.map((child) => testNode(table, child, frame))
    const first = truths.findIndex((truth) => truth !== FALSE)
    const found = candidates[first]
    if (found === undefined) return isEnd(at) ? predictions[at]?.confidences : undefined
    if (truths[first] !== UNKNOWN) return below(found, frame)
    const open = candidates.filter((_, n) => truths[n] !== FALSE)
    const total = open.reduce((sum, child) => sum + (nodes[child]?.recordCount ?? 0), 0)
    const confidences = categories.map(() => 0)
    for (const child of open) {
      const weight = (nodes[child]?.recordCount ?? 0) / total
      // a branch without records has no weight
      if (weight === 0) continue
      const own = below(child, frame)
      if (!own || !(total > 0)) return undefined
      for (const [n, confidence] of own.entries())
        confidences[n] = (confidences[n] ?? 0) + weight * confidence
    }
    return confidences
  }
  return (at, frame) => {
    const confidences = below(at, frame)
    if (!confidences) return { reason: 'no branch of the tree matches' }
    const total = confidences.reduce((sum, confidence) => sum + confidence, 0)
    const probabilities = confidences.map((confidence) => confidence / total)
    return { category: categories[indexOfMax(confidences)], categories, probabilities, confidences }
  }
}

/** Sums the records of all leaves that may be reached. */
function mergeRecords(
  { nodes, table, isEnd }: Tree,
  categories: readonly string[],
  { dataType }: RegressionTarget,
): Merge {
  const indexes = new Map(categories.map((category, index) => [category, index]))
  const counts = nodes.map(({ distribution = [] }) =>
    distribution.map(({ value, recordCount }) => ({
      index: indexes.get(categoryOf(value, dataType)) ?? 0,
      recordCount,
    })),
  )
  const collect = (at: number, frame: Frame, records: number[]): void => {
    const candidates = nodes[at]?.children ?? []
    let isLast = candidates.length === 0 || isEnd(at)
    for (const child of candidates) {
      const truth = testNode(table, child, frame)
      if (truth === FALSE) continue
      isLast = false
      collect(child, frame, records)
      // children after one that matches cannot be reached, whatever the missing value
      if (truth !== UNKNOWN) break
    }
    if (isLast)
      for (const { index, recordCount } of counts[at] ?? [])
        records[index] = (records[index] ?? 0) + recordCount
  }
  return (at, frame) => {
    const records = categories.map(() => 0)
    collect(at, frame, records)
    const total = records.reduce((sum, count) => sum + count, 0)
    if (total === 0) return { reason: 'no branch of the tree matches' }
    const probabilities = records.map((count) => count / total)
    return {
      category: categories[indexOfMax(records)],
      categories,
      probabilities,
      confidences: probabilities,
    }
  }
}
