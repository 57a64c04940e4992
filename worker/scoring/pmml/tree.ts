import { nodesOf } from '../../../db/scorecards/definition/packed-nodes.ts'
import type { PmmlNode, PmmlTree } from '../../../db/scorecards/definition/pmml.ts'
import { PmmlError } from './errors.ts'
import type { Context } from './expressions.ts'
import { type Round, roundingOf } from './math-context.ts'
import { compileMerge, type Tree } from './merge-branches.ts'
import { byLevel, compileNodeTable, firstChild, isLastChild, testNode } from './node-table.ts'
import { holds, TRUE, TRUE_BY_SURROGATE, UNKNOWN } from './predicates.ts'
import { categoryOf, indexOfMax, type Predict, type Prediction } from './prediction.ts'
import type { RegressionTarget } from './regression.ts'
import { readNumber } from './values.ts'

/**
 * Compiles a decision tree.
 *
 * An unknown predicate ends the search among the children immediately, unless the strategy is `none`, as the standard
 * defines. Confidence is multiplied by the penalty for every default child and every surrogate on the path.
 *
 * @see https://dmg.org/pmml/v4-4/TreeModel.html
 */
export function compileTree(model: PmmlTree, context: Context, target: RegressionTarget): Predict {
  const { missingValueStrategy: strategy, missingValuePenalty: penalty } = model
  const nodes = byLevel(nodesOf(model))
  const categories =
    model.function === 'classification' ? (target.categories ?? categoriesOfTree(model, target)) : undefined
  if (!categories && (strategy === 'weightedConfidence' || strategy === 'aggregateNodes'))
    throw new PmmlError(`${strategy} requires a classification tree`, strategy)
  const round = roundingOf(model)
  const isLastReturned = model.noTrueChildStrategy === 'returnLastPrediction'
  const nothing: Prediction = { reason: 'no branch of the tree matches' }
  // predictions of inner nodes are not needed: half of a forest's memory
  const isLeafOnly = !isLastReturned && LEAVES_ONLY.has(strategy)
  const tree: Tree = {
    nodes,
    table: compileNodeTable(nodes, context),
    predictions: nodes.map((node) =>
      node.children.length > 0 && isLeafOnly
        ? nothing
        : categories
          ? predictCategory(node, categories, target, round)
          : predictNumber(node, round),
    ),
    isEnd: (at) => isLastReturned && nodes[at]?.score !== undefined,
  }
  const defaults = nodes.map(({ defaultChild }) => defaultChild)
  if (strategy === 'defaultChild')
    for (const [at, { children }] of nodes.entries())
      if (children.length > 0 && defaults[at] === undefined)
        throw new PmmlError(`node ${nodes[at]?.id ?? at} has no defaultChild, which the strategy requires`)
  const merge = categories && compileMerge(strategy, tree, categories, target)
  const { table, predictions, isEnd } = tree
  const unknown: Prediction = { reason: 'a field that the tree splits by is missing' }

  return (frame) => {
    const start = testNode(table, 0, frame)
    if (!holds(start)) return start === UNKNOWN ? unknown : nothing
    let at = 0
    let penalties = 0
    for (;;) {
      const first = firstChild(table, at)
      if (first === 0) return penalise(predictions[at] as Prediction, penalty, penalties)
      let next = -1
      for (let child = first; ; child++) {
        const truth = testNode(table, child, frame)
        if (truth === TRUE || truth === TRUE_BY_SURROGATE) {
          next = child
          if (truth === TRUE_BY_SURROGATE) penalties++
          break
        }
        if (truth === UNKNOWN && strategy !== 'none') {
          if (strategy === 'lastPrediction')
            return penalise(predictions[at] as Prediction, penalty, penalties)
          if (strategy !== 'defaultChild') return merge ? merge(at, frame) : unknown
          next = defaults[at] ?? -1
          penalties++
          break
        }
        if (isLastChild(table, child)) break
      }
      if (next < 0) return isEnd(at) ? penalise(predictions[at] as Prediction, penalty, penalties) : nothing
      at = next
    }
  }
}

/** Strategies that return the prediction of a leaf or none. */
const LEAVES_ONLY: ReadonlySet<PmmlTree['missingValueStrategy']> = new Set([
  'none',
  'nullPrediction',
  'defaultChild',
])

function penalise(prediction: Prediction, penalty: number, times: number): Prediction {
  if (times === 0 || penalty === 1 || !prediction.confidences) return prediction
  const factor = penalty ** times
  return { ...prediction, confidences: prediction.confidences.map((confidence) => confidence * factor) }
}

function predictNumber({ id, score }: PmmlNode, round: Round): Prediction {
  if (score === undefined) return { reason: 'the tree ends in a node without a score', entityId: id }
  const value = readNumber(score)
  if (Number.isNaN(value))
    throw new PmmlError(`the score ${JSON.stringify(score)} of a node is not a number`, score)
  return { value: round(value), entityId: id }
}

type Share = NonNullable<PmmlNode['distribution']>[number]

/** Predicts the score, or without one the most frequent category. Without a distribution, the score has probability 1. */
function predictCategory(
  node: PmmlNode,
  categories: readonly string[],
  { dataType }: RegressionTarget,
  round: Round,
): Prediction {
  const { id, score, distribution } = node
  const given = score === undefined ? undefined : categoryOf(score, dataType)
  if (!distribution || distribution.length === 0) {
    if (given === undefined) return { reason: 'the tree ends in a node without a score', entityId: id }
    const certain = categories.map((category) => (category === given ? 1 : 0))
    return { category: given, categories, probabilities: certain, confidences: certain, entityId: id }
  }
  const byCategory = new Map(distribution.map((entry) => [categoryOf(entry.value, dataType), entry]))
  // probabilities are used only if all categories have one
  const isGiven = distribution.every(({ probability }) => probability !== undefined)
  const shareOf = ({ probability, recordCount }: Share) => (isGiven ? probability : recordCount) ?? 0
  const total = distribution.reduce((sum, entry) => sum + shareOf(entry), 0)
  if (!(total > 0)) return { reason: 'the tree ends in a node without records', entityId: id }
  const probabilities = categories.map((category) => {
    const entry = byCategory.get(category)
    return entry ? round(shareOf(entry) / total) : 0
  })
  const confidences = distribution.some(({ confidence }) => confidence !== undefined)
    ? categories.map((category, at) => byCategory.get(category)?.confidence ?? probabilities[at] ?? 0)
    : probabilities
  const category = given ?? categories[indexOfMax(probabilities)]
  return { category, categories, probabilities, confidences, entityId: id }
}

/** Lists the categories of a tree in order of occurrence. */
export function categoriesOfTree(
  model: PmmlTree,
  { dataType }: Pick<RegressionTarget, 'dataType'>,
): string[] {
  const categories = new Set<string>()
  const add = (text: string) => categories.add(categoryOf(text, dataType))
  if (Array.isArray(model.nodes)) {
    for (const { distribution = [] } of model.nodes) for (const { value } of distribution) add(value)
    for (const { score } of model.nodes) if (score !== undefined) add(score)
  } else {
    const { shapes, score = [], texts } = model.nodes
    for (const { values } of shapes) for (const value of values) add(value)
    for (const index of new Set(score)) if (index >= 0) add(texts[index] ?? '')
  }
  return [...categories]
}
