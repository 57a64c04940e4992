import { describe, expect, test } from 'vitest'
import { nodesOf } from '../../../db/scorecards/definition/packed-nodes.ts'
import { type PmmlElement, PmmlModel, type PmmlTree } from '../../../db/scorecards/definition/pmml.ts'
import { importPmml } from '../../../scripts/scorecards/import/pmml/import-pmml.ts'
import { compilePmml } from '../../../worker/scoring/pmml/compile-pmml.ts'
import { aPmml, SCHEMA } from '../../support/a-pmml.ts'

/** Deterministic random numbers from 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

const next = numbers(7)
const oneOf = <T>(...items: readonly T[]): T => items[Math.floor(next() * items.length)] as T

function predicate(): string {
  const kind = next()
  if (kind < 0.1) return '<True/>'
  if (kind < 0.2)
    return `<SimpleSetPredicate field="c" booleanOperator="isIn"><Array type="string">red "dark blue"</Array></SimpleSetPredicate>`
  if (kind < 0.3)
    return `<CompoundPredicate booleanOperator="surrogate">${predicate()}${predicate()}</CompoundPredicate>`
  return `<SimplePredicate field="${oneOf('x', 'y')}" operator="${oneOf('lessThan', 'greaterOrEqual', 'isMissing')}" value="${oneOf(0.1, 0.25, 0.5, 0.75)}"/>`
}

/** With ids in order or without ids, and with defaults, counts and shares of some nodes. */
function node(depth: number, own: string, id: { at: number }, isOrdered: boolean): string {
  const name = (at: number) => (isOrdered ? String(at) : `n${(at * 7) % 1_000}`)
  const at = id.at++
  const shares = ['good', 'bad', 'none']
    .map(
      (value) =>
        `<ScoreDistribution value="${value}" recordCount="${Math.ceil(next() * 9)}" ${at % 2 ? 'confidence="0.5"' : ''}/>`,
    )
    .join('')
  const children = depth === 0 || next() < 0.2 ? [] : [predicate(), predicate(), '<True/>']
  const first = id.at
  const inner = children.map((child) => node(depth - 1, child, id, isOrdered)).join('')
  const attributes = [
    `id="${name(at)}"`,
    next() < 0.7 ? `score="${oneOf('good', 'bad')}"` : '',
    next() < 0.5 ? `recordCount="${Math.ceil(next() * 99)}"` : '',
    children.length > 0 ? `defaultChild="${name(first)}"` : '',
  ]
  return `<Node ${attributes.join(' ')}>${own}${children.length > 0 && next() < 0.5 ? '' : shares}${inner}</Node>`
}

const STRATEGIES = [
  'none',
  'lastPrediction',
  'nullPrediction',
  'defaultChild',
  'weightedConfidence',
  'aggregateNodes',
]

const FOREST = aPmml(
  `<MiningModel functionName="classification">${SCHEMA}<Segmentation multipleModelMethod="average" missingPredictionTreatment="skipSegment">
  ${Array.from(
    { length: 60 },
    (
      _,
      at,
    ) => `<Segment id="s${at}"><True/><TreeModel functionName="classification" missingValueStrategy="${STRATEGIES[at % STRATEGIES.length]}"
      noTrueChildStrategy="${oneOf('returnNullPrediction', 'returnLastPrediction')}"><MiningSchema/>${node(4, '<True/>', { at: 1 }, at % 2 === 0)}</TreeModel></Segment>`,
  ).join('\n')}
  </Segmentation></MiningModel>`,
)

/** The same file, made long enough for its trees to be stored by column. */
const big = (xml: string) => xml.replace('<Header/>', `<Header/><!--${' '.repeat(1_000_000)}-->`)

const treesOf = (model: PmmlElement): PmmlTree[] =>
  model.element === 'MiningModel'
    ? model.segments.flatMap((segment) => treesOf(segment.model))
    : model.element === 'TreeModel'
      ? [model]
      : []

describe('the trees of a large file', () => {
  const small = importPmml(FOREST)
  const packed = importPmml(big(FOREST))

  test('are stored by column unchanged, in less than half of the bytes', () => {
    const [lists, columns] = [treesOf(small.model.model), treesOf(packed.model.model)]
    expect(columns.every(({ nodes }) => !Array.isArray(nodes))).toBe(true)
    for (const [at, tree] of lists.entries())
      expect(JSON.parse(JSON.stringify(nodesOf(columns[at] as PmmlTree)))).toEqual(nodesOf(tree))
    const bytes = (trees: readonly PmmlTree[]) => JSON.stringify(trees).length
    expect(bytes(columns)).toBeLessThan(bytes(lists) / 2)
    expect(PmmlModel.parse(JSON.parse(JSON.stringify(packed.model)))).toEqual(packed.model)
    expect(packed.understood).toEqual(small.understood)
  })

  test('give the same results', () => {
    const [one, other] = [compilePmml(small.model), compilePmml(packed.model)]
    expect(other.categories).toEqual(one.categories)
    const value = (random: number) => (random < 0.2 ? undefined : Math.round(random * 20) / 20)
    for (let row = 0; row < 500; row++) {
      const inputs = { x: value(next()), y: value(next()), c: oneOf('red', 'dark blue', 'green', undefined) }
      expect(other.evaluate(inputs)).toEqual(one.evaluate(inputs))
    }
  })

  test('are rejected with their location, although their elements are not stored', () => {
    const line = FOREST.slice(0, FOREST.lastIndexOf('field="y"')).split('\n').length
    const at = FOREST.lastIndexOf('field="y"')
    const wrong = `${FOREST.slice(0, at)}field="z"${FOREST.slice(at + 9)}`
    for (const xml of [wrong, big(wrong)])
      expect(() => importPmml(xml)).toThrow(`line ${line}, <SimplePredicate>: unknown field "z"`)
    const unknown = FOREST.replace('<Node ', '<Node colour="red" ')
    for (const xml of [unknown, big(unknown)])
      expect(() => importPmml(xml)).toThrow('<Node>: the attribute colour="red" is not supported')
    const other = FOREST.replace('<Segment id="s3">', '<Segment id="s3" xmlns="http://example.org">')
    for (const xml of [other, big(other)])
      expect(() => importPmml(xml)).toThrow('the namespace "http://example.org" is not that of PMML')
  })

  test.each([
    ['parents', (tree: Json) => (tree.parents[2] = 5), 'a child must come after its parent'],
    ['a column', (tree: Json) => tree.value.pop(), 'one for each node'],
    ['texts', (tree: Json) => (tree.texts.length = 1), 'must refer to an existing entry'],
    ['fields', (tree: Json) => (tree.field[1] = 99), 'must refer to an existing entry'],
    ['predicates', (tree: Json) => tree.predicates.pop(), 'one for each node that refers to it'],
    ['shares', (tree: Json) => tree.shares.pop(), 'one for each number of the score distributions'],
    ['defaults', (tree: Json) => (tree.defaultChild[0] = 0), 'the default child must be one of the children'],
  ])('with inconsistent columns are rejected: %s', (_, change, message) => {
    const model = structuredClone(packed.model)
    const tree = treesOf(model.model).find(
      ({ nodes }) => !Array.isArray(nodes) && nodes.predicates.length > 0,
    )
    change(tree?.nodes as never as Json)
    const { error } = PmmlModel.safeParse(model)
    expect(error?.issues.map((issue) => issue.message).join('\n')).toContain(message)
  })
})

type Json = Record<
  'parents' | 'value' | 'texts' | 'field' | 'predicates' | 'shares' | 'defaultChild',
  unknown[]
>
