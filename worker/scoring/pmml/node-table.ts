import type { PmmlNode, Predicate } from '../../../db/scorecards/definition/pmml.ts'
import type { Context } from './expressions.ts'
import { compilePredicate, FALSE, type Test, TRUE, type Truth, UNKNOWN } from './predicates.ts'
import type { Frame } from './program.ts'
import { readThreshold } from './values.ts'

/** Kinds of predicates: comparisons of a numeric input with a constant, and all others. */
const ANY = 0
const ALWAYS = 1
const COMPARISONS: Partial<Record<string, number>> = {
  lessThan: 2,
  lessOrEqual: 3,
  greaterThan: 4,
  greaterOrEqual: 5,
}
const [LESS, LESS_OR_EQUAL, GREATER] = [2, 3, 4]

const KIND = 7
const IS_LAST = 8
const SLOT = 16

/**
 * The nodes of a tree in 16 bytes each, in breadth-first order, so that siblings are adjacent.
 *
 * Nearly all nodes of a forest compare an input with a constant. Without a function for each of them, evaluation is several
 * times as fast.
 */
export interface NodeTable {
  /** At 4 × node: slot × 16, the kind, and a flag for the last child. At 4 × node + 1: the first child; 0 for a leaf. */
  readonly words: Int32Array
  /** At 2 × node + 1, in the same buffer: the constant. */
  readonly constants: Float64Array
  /** Tests of the nodes of kind ANY. */
  readonly tests: readonly (Test | undefined)[]
}

/** Sorts nodes in breadth-first order and updates their references. */
export function byLevel(nodes: readonly PmmlNode[]): PmmlNode[] {
  const order = [0]
  for (let n = 0; n < order.length; n++)
    for (const child of nodes[order[n] ?? 0]?.children ?? []) order.push(child)
  const newIndexes = new Map(order.map((index, at) => [index, at]))
  const newIndexOf = (index: number) => newIndexes.get(index) ?? 0
  return order.flatMap((index) => {
    const node = nodes[index]
    if (!node) return []
    const { children, defaultChild } = node
    return {
      ...node,
      children: children.map(newIndexOf),
      defaultChild: defaultChild === undefined ? undefined : newIndexOf(defaultChild),
    }
  })
}

/** @param nodes in breadth-first order. */
export function compileNodeTable(nodes: readonly PmmlNode[], context: Context): NodeTable {
  const buffer = new ArrayBuffer(nodes.length * 16)
  const words = new Int32Array(buffer)
  const constants = new Float64Array(buffer)
  const tests = nodes.map(({ predicate }, node) => {
    const comparison = comparisonOf(predicate, context)
    const kind = predicate.element === 'True' ? ALWAYS : (comparison?.kind ?? ANY)
    words[4 * node] = (comparison?.slot ?? 0) * SLOT + kind
    constants[2 * node + 1] = comparison?.constant ?? 0
    return kind === ANY ? compilePredicate(predicate, context) : undefined
  })
  for (const [node, { children }] of nodes.entries()) {
    const last = children.at(-1)
    words[4 * node + 1] = children[0] ?? 0
    if (last !== undefined) words[4 * last] = (words[4 * last] ?? 0) | IS_LAST
  }
  return { words, constants, tests }
}

/** Returns a comparison of a numeric input with a constant; undefined for other predicates. */
function comparisonOf(predicate: Predicate, { scope }: Context) {
  if (predicate.element !== 'SimplePredicate' || predicate.value === undefined) return undefined
  const kind = COMPARISONS[predicate.operator]
  const { slot, dataType } = scope.find(predicate.field)
  if (kind === undefined || slot === undefined) return undefined
  if (dataType !== 'double' && dataType !== 'float' && dataType !== 'integer') return undefined
  const constant = readThreshold(predicate.value, dataType) as number
  return Number.isNaN(constant) ? undefined : { kind, slot, constant }
}

/** Returns the first child of a node, or 0. Its siblings follow, up to the last child. */
export const firstChild = ({ words }: NodeTable, node: number): number => words[4 * node + 1] as number

export const isLastChild = ({ words }: NodeTable, node: number): boolean =>
  ((words[4 * node] as number) & IS_LAST) !== 0

/** Evaluates the predicate of a node. */
export function testNode(table: NodeTable, node: number, frame: Frame): Truth {
  const word = table.words[4 * node] as number
  const kind = word & KIND
  if (kind === ALWAYS) return TRUE
  if (kind === ANY) return (table.tests[node] as Test)(frame)
  const value = frame[word >> 4]
  if (value === undefined) return UNKNOWN
  const constant = table.constants[2 * node + 1] as number
  const number = value as number
  const isTrue =
    kind === LESS
      ? number < constant
      : kind === LESS_OR_EQUAL
        ? number <= constant
        : kind === GREATER
          ? number > constant
          : number >= constant
  return isTrue ? TRUE : FALSE
}
