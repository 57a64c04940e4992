import { UserError } from '../../../cli/user-error.ts'

/** A node of an imported tree: a leaf, or a split with two children. */
export type ForeignNode<T> =
  | {
      readonly leaf: number
      /** Weight of the training rows in it. */
      readonly cover?: number | undefined
    }
  | {
      readonly feature: number
      /** The threshold of a number, or a set of category codes. */
      readonly split: number | readonly number[]
      readonly flags: number
      readonly left: T
      readonly right: T
    }

/** All nodes of a model in the form of `TreesModel`. */
interface NodeList {
  readonly roots: number[]
  readonly feature: number[]
  readonly value: number[]
  readonly left: number[]
  readonly right: number[]
  readonly flags: number[]
  readonly sets: number[][]
  /** Mean of the leaves below each node, weighted by cover; omitted if a leaf has no cover. */
  readonly mean?: number[]
}

const MOST_DEPTH = 1_000

/**
 * Lays out trees in one list, each node before its children.
 *
 * @throws UserError for an invalid number, and for a tree that is too deep or has a cycle.
 */
export function listNodes<T>(
  trees: readonly T[],
  describe: (node: T, tree: number) => ForeignNode<T>,
): NodeList {
  const list = { roots: [], feature: [], value: [], left: [], right: [], flags: [], sets: [] } as NodeList
  const covers: number[] = []

  for (const [tree, root] of trees.entries()) {
    list.roots.push(list.value.length)
    const waiting: { node: T; depth: number; link?: () => void }[] = [{ node: root, depth: 0 }]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { node, depth, link } = next
      if (depth > MOST_DEPTH)
        throw new UserError(`Tree ${tree} is deeper than ${MOST_DEPTH} splits: does it have a cycle?`)
      link?.()
      const at = list.value.length
      const described = describe(node, tree)
      covers.push('leaf' in described ? (described.cover ?? Number.NaN) : 0)
      const isLeaf = 'leaf' in described
      list.feature.push(isLeaf ? 0 : described.feature)
      list.flags.push(isLeaf ? 0 : described.flags)
      list.left.push(0)
      list.right.push(0)
      list.value.push(isLeaf ? described.leaf : numberOf(described.split, list.sets))
      if (!Number.isFinite(list.value[at]))
        throw new UserError(`Tree ${tree} has a node with an invalid number`)
      if (isLeaf) continue
      const under = (side: 'left' | 'right') => () => {
        list[side][at] = list.value.length
      }
      waiting.push({ node: described.right, depth: depth + 1, link: under('right') })
      waiting.push({ node: described.left, depth: depth + 1, link: under('left') })
    }
  }
  const mean = meansOf(list, covers)
  return mean ? { ...list, mean } : list
}

function numberOf(split: number | readonly number[], sets: number[][]): number {
  if (typeof split === 'number') return split
  return sets.push([...split]) - 1
}

function meansOf({ value, left, right }: NodeList, leafCovers: readonly number[]): number[] | undefined {
  const mean = [...value]
  const cover = [...leafCovers]
  for (let node = value.length - 1; node >= 0; node--) {
    const [l = 0, r = 0] = [left[node], right[node]]
    if (l === 0) continue
    const [onLeft = 0, onRight = 0] = [cover[l], cover[r]]
    cover[node] = onLeft + onRight
    const share = cover[node] === 0 ? 0.5 : onLeft / (onLeft + onRight)
    mean[node] = share * (mean[l] as number) + (1 - share) * (mean[r] as number)
  }
  return mean.every(Number.isFinite) ? mean : undefined
}
