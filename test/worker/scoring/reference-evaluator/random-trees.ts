import type { PmmlNode, PmmlTree } from '../../../../db/scorecards/definition/pmml.ts'
import type { Draw } from './draw.ts'
import { aHalf, type RandomField } from './random-fields.ts'
import { aPredicate, aSplit } from './random-predicates.ts'

const STRATEGIES = {
  regression: ['none', 'lastPrediction', 'nullPrediction', 'defaultChild'],
  classification: [
    'none',
    'lastPrediction',
    'nullPrediction',
    'defaultChild',
    'weightedConfidence',
    'aggregateNodes',
  ],
} as const

interface ModelContext {
  readonly draw: Draw
  readonly known: readonly RandomField[]
  readonly categories: readonly string[]
}

/** Draws a tree of up to three levels; every node has a score or a distribution, as the standard requires. */
export function aTree(
  { draw, known, categories }: ModelContext,
  common: Pick<PmmlTree, 'function' | 'fields' | 'derived' | 'targets' | 'outputs'>,
): PmmlTree {
  const isClassification = common.function === 'classification'
  const strategy = draw.pick(STRATEGIES[common.function])
  const counted = strategy === 'weightedConfidence' || strategy === 'aggregateNodes'
  const hasDistribution = isClassification && (counted || draw.chance(70))
  const hasProbabilities = hasDistribution && !counted && draw.chance(30)
  const nodes: PmmlNode[] = []

  const grow = (predicate: PmmlNode['predicate'], depth: number): number => {
    const index = nodes.length
    const distribution = hasDistribution ? aDistribution(draw, categories, hasProbabilities) : undefined
    const node: PmmlNode = {
      id: `n${index}`,
      // a distribution suffices, except for nodes that are returned because no child matches
      score: isClassification
        ? distribution && draw.chance(20)
          ? undefined
          : (scoreOf(distribution) ?? draw.pick(categories))
        : String(draw.chance(30) ? draw.whole(-99, 99) / 10 : aHalf(draw)),
      recordCount: distribution?.reduce((sum, { recordCount }) => sum + recordCount, 0),
      predicate,
      children: [],
      distribution,
    }
    nodes.push(node)
    if (depth > 0 && draw.chance(70))
      for (const split of aSplit(draw, known)) node.children.push(grow(split, depth - 1))
    if (strategy === 'defaultChild' && node.children.length > 0) node.defaultChild = draw.pick(node.children)
    return index
  }
  grow(counted || draw.chance(85) ? { element: 'True' } : aPredicate(draw, known), 3)
  return {
    element: 'TreeModel',
    ...common,
    missingValueStrategy: strategy,
    missingValuePenalty: draw.pick([1, 0.5]),
    noTrueChildStrategy: draw.pick(['returnNullPrediction', 'returnLastPrediction']),
    nodes,
  }
}

type Distribution = NonNullable<PmmlNode['distribution']>

/** Returns the category with the most records, as tools write it. */
const scoreOf = (distribution: Distribution | undefined): string | undefined =>
  distribution?.toSorted((a, b) => b.recordCount - a.recordCount)[0]?.value

/** Draws distinct counts: no ties within a node, except without records. */
function aDistribution(draw: Draw, categories: readonly string[], hasProbabilities: boolean): Distribution {
  const first = draw.whole(1, 50)
  const hasRecords = hasProbabilities || draw.chance(95)
  const records = categories.map((_, at) => (hasRecords ? first * (at + 1) + at * at : 0))
  // probabilities need not add up to 1
  const scale = draw.pick([1, 0.5])
  const turned = draw.chance(50) ? records.toReversed() : records
  const all = turned.reduce((a, b) => a + b, 0)
  const order = draw.chance(50) ? [...categories.keys()] : [...categories.keys()].toReversed()
  return order.map((at) => {
    const recordCount = turned[at] ?? 1
    return {
      value: categories[at] ?? '',
      recordCount,
      probability: hasProbabilities ? (scale * recordCount) / all : undefined,
    }
  })
}
