/** Where a value is in a JSON value: the names and indices on the way to it. */
export type ValuePath = readonly string[]

/** One entry of a list or an object as it is about to be written. */
export interface Entry {
  /** As JSON; undefined in a list. */
  readonly name: string | undefined
  /** As JSON. */
  readonly value: string
}

/** What is written in path of an entry: nothing, others, or what is no JSON at all. */
export type Change = (entry: Entry) => readonly Entry[]

/** Where each value is, but for the whole. */
export function listPaths(value: unknown, path: ValuePath = []): ValuePath[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = [...path, name]
    return [inner, ...listPaths(member, inner)]
  })
}

/** JSON of a value of which some entries are written otherwise, so that it may say what no object can: a name twice. */
export function writeJson(
  value: unknown,
  changes: readonly (readonly [path: ValuePath, change: Change])[],
): string {
  const byPath = new Map(changes.map(([path, change]) => [path.join('\n'), change]))
  const write = (inner: unknown, path: ValuePath): string => {
    if (typeof inner !== 'object' || inner === null) return JSON.stringify(inner)
    const isList = Array.isArray(inner)
    const entries = Object.entries(inner).flatMap(([name, member]): readonly Entry[] => {
      const at = [...path, name]
      const entry = { name: isList ? undefined : JSON.stringify(name), value: write(member, at) }
      return byPath.get(at.join('\n'))?.(entry) ?? [entry]
    })
    const written = entries
      .map(({ name, value }) => (name === undefined ? value : `${name}:${value}`))
      .join(',')
    return isList ? `[${written}]` : `{${written}}`
  }
  return write(value, [])
}
