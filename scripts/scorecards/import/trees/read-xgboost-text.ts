import { UserError } from '../../../cli/user-error.ts'

/** Whether a text is the output of XGBoost's `dump_model`, or R's `xgb.dump`, with dump_format text. */
export const isXgboostText = (text: string): boolean => /^\s*booster\[0\]:?\s/.test(text)

const LEAF = /^\s*(\d+):leaf=([^,]+)(.*)$/
const SPLIT = /^\s*(\d+):\[(.*)\] yes=(\d+),no=(\d+)(.*)$/
/** `age<0.5`, or `grade:{0,2}`. */
const CONDITION = /^(.*)(?:<([^<]+)|:\{([\d,]*)\})$/

interface TextNode {
  readonly nodeid: number
  readonly children?: readonly number[]
  readonly [member: string]: unknown
}

/**
 * Converts the text format to the nested nodes of the JSON format.
 *
 * @returns a list of trees.
 * @throws UserError for an invalid line and for a split with a missing child.
 */
export function parseXgboostText(text: string, file: string): unknown[] {
  const trees: Map<number, TextNode>[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    if (/^booster\[\d+\]:?\s*$/.test(line)) {
      trees.push(new Map())
      continue
    }
    const node = parseLine(line)
    if (!node)
      throw new UserError(`${file}, line ${at + 1}: this is not a node of an XGBoost dump: ${line.trim()}`)
    trees.at(-1)?.set(node.nodeid, node)
  }
  return trees.map((nodes, tree) => nest(nodes, tree, file))
}

function parseLine(line: string): TextNode | undefined {
  const leaf = LEAF.exec(line)
  if (leaf) return { nodeid: Number(leaf[1]), leaf: Number(leaf[2]), ...coverOf(leaf[3]) }
  const [, id, condition = '', yes, no, rest = ''] = SPLIT.exec(line) ?? []
  if (id === undefined) return undefined
  const [, name, bound, codes] = CONDITION.exec(condition) ?? []
  const missing = /(?:^|,)missing=(\d+)/.exec(rest)?.[1]
  return {
    nodeid: Number(id),
    split: name ?? condition,
    // a split without either is by an indicator, which the reader of nodes rejects
    ...(bound !== undefined && { split_condition: Number(bound) }),
    ...(codes !== undefined && { split_condition: codes === '' ? [] : codes.split(',').map(Number) }),
    yes: Number(yes),
    no: Number(no),
    ...(missing !== undefined && { missing: Number(missing) }),
    ...coverOf(rest),
    children: [Number(yes), Number(no)],
  }
}

function coverOf(rest = ''): { cover?: number } {
  const cover = /(?:^|,)cover=([^,]+)/.exec(rest)?.[1]
  return cover === undefined ? {} : { cover: Number(cover) }
}

/** Builds the tree from the leaves up, because nodes are in any order: children have higher numbers than their parents. */
function nest(nodes: ReadonlyMap<number, TextNode>, tree: number, file: string): unknown {
  const built = new Map<number, unknown>()
  for (const node of [...nodes.values()].sort((a, b) => b.nodeid - a.nodeid)) {
    const children = node.children?.map((id) => {
      const child = built.get(id)
      if (child === undefined)
        throw new UserError(`${file}: tree ${tree}, node ${node.nodeid} has no child ${id}`)
      return child
    })
    built.set(node.nodeid, children ? { ...node, children } : node)
  }
  const root = built.get(0)
  if (root === undefined) throw new UserError(`${file}: tree ${tree} has no node 0`)
  return root
}
