import { type PackedNodes, type PmmlNode, type PmmlTree, type Predicate, WORDS } from './pmml.ts'

/** Distinct texts and their places, in the order of their first use. */
class Texts {
  readonly list: string[] = []
  readonly #places = new Map<string, number>()

  /** -1 if there is no text. */
  placeOf(text: string | undefined): number {
    if (text === undefined) return -1
    const known = this.#places.get(text)
    if (known !== undefined) return known
    this.#places.set(text, this.list.length)
    return this.list.push(text) - 1
  }
}

type Distribution = NonNullable<PmmlNode['distribution']>

const MEMBERS = ['recordCount', 'confidence', 'probability'] as const

/**
 * Packs nodes by column, as in `PackedNodes` of the definition; returns them unchanged if the entries of a score distribution have
 * different members.
 */
export function packNodes(nodes: PmmlNode[]): PackedNodes | PmmlNode[] {
  if (!nodes.every(isUniform)) return nodes
  const [fields, texts, shapes] = [new Texts(), new Texts(), new Texts()]
  const parents = new Array<number>(nodes.length).fill(-1)
  for (const [at, { children }] of nodes.entries()) for (const child of children) parents[child] = at
  const predicates: Predicate[] = []
  const shares: number[] = []
  const column = (of: (node: PmmlNode) => number) => nodes.map(of)
  const simple = nodes.map(({ predicate }) =>
    predicate.element === 'SimplePredicate' ? predicate : undefined,
  )
  const field = simple.map((predicate) => fields.placeOf(predicate?.field))
  for (const [at, { predicate }] of nodes.entries()) {
    if (predicate.element === 'SimplePredicate' || predicate.element === 'True') continue
    field[at] = fields.list.length
    predicates.push(predicate)
  }
  const shape = column(({ distribution }) => {
    if (!distribution) return -1
    const members = MEMBERS.filter((member) => distribution.some((entry) => entry[member] !== undefined))
    for (const entry of distribution) for (const member of members) shares.push(entry[member] ?? 0)
    return shapes.placeOf(JSON.stringify({ values: distribution.map(({ value }) => value), members }))
  })
  const hasAny = (places: readonly number[]) => places.some((place) => place >= 0)
  const score = column((node) => texts.placeOf(node.score))
  const defaultChild = column((node) => node.defaultChild ?? -1)
  return {
    parents,
    fields: fields.list,
    field,
    operator: simple.map((predicate) => (predicate ? WORDS.operators.indexOf(predicate.operator) : -1)),
    value: simple.map((predicate) => texts.placeOf(predicate?.value)),
    predicates,
    ...packIds(nodes),
    ...(hasAny(score) ? { score } : {}),
    ...(nodes.some(({ recordCount }) => recordCount !== undefined)
      ? { recordCount: nodes.map(({ recordCount }) => recordCount ?? null) }
      : {}),
    ...(hasAny(defaultChild) ? { defaultChild } : {}),
    texts: texts.list,
    shapes: shapes.list.map((text) => JSON.parse(text) as PackedNodes['shapes'][number]),
    ...(hasAny(shape) ? { shape } : {}),
    shares,
  }
}

const isUniform = ({ distribution = [] }: PmmlNode) =>
  MEMBERS.every(
    (member) =>
      distribution.every((entry) => entry[member] !== undefined) ||
      distribution.every((entry) => entry[member] === undefined),
  )

function packIds(nodes: readonly PmmlNode[]): Pick<PackedNodes, 'ids'> {
  const first = Number(nodes[0]?.id)
  if (nodes.every(({ id }, at) => id === String(first + at))) return { ids: first }
  return nodes.some(({ id }) => id !== undefined) ? { ids: nodes.map(({ id = '' }) => id) } : {}
}

/** Returns the nodes of a tree one by one, packed or not. */
export const nodesOf = ({ nodes }: PmmlTree): readonly PmmlNode[] =>
  Array.isArray(nodes) ? nodes : unpackNodes(nodes)

function unpackNodes(packed: PackedNodes): PmmlNode[] {
  const { parents, fields, texts, ids, score, recordCount, defaultChild, shapes, shape, shares } = packed
  let shared = 0
  let others = 0
  const at = (column: readonly number[] | undefined, place: number) => column?.[place] ?? -1
  const predicateOf = (place: number): Predicate => {
    const own = at(packed.field, place)
    if (own < 0) return { element: 'True' }
    const field = fields[own]
    if (field === undefined) return packed.predicates[others++] ?? { element: 'False' }
    const operator = WORDS.operators[at(packed.operator, place)] ?? 'isMissing'
    return { element: 'SimplePredicate', field, operator, value: texts[at(packed.value, place)] }
  }
  const distributionOf = (place: number): Distribution | undefined => {
    const own = shapes[at(shape, place)]
    return own?.values.map((value) => {
      const entry: Distribution[number] = { value, recordCount: 0 }
      for (const member of own.members) entry[member] = shares[shared++] ?? 0
      return entry
    })
  }
  const nodes = parents.map((_, place): PmmlNode => {
    const child = at(defaultChild, place)
    return {
      id: typeof ids === 'number' ? String(ids + place) : ids?.[place] || undefined,
      score: texts[at(score, place)],
      recordCount: recordCount?.[place] ?? undefined,
      predicate: predicateOf(place),
      children: [],
      defaultChild: child < 0 ? undefined : child,
      distribution: distributionOf(place),
    }
  })
  for (const [place, parent] of parents.entries()) nodes[parent]?.children.push(place)
  return nodes
}
