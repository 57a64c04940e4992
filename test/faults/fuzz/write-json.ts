/** Path of a value within a JSON value: member names and indexes. */
export type ValuePath = readonly string[]

/** An entry of a list or an object before it is written. */
export interface Entry {
  /** As JSON; undefined in a list. */
  readonly name: string | undefined
  /** As JSON. */
  readonly value: string
}

/** Replaces an entry by none, by others, or by invalid JSON. */
export type Change = (entry: Entry) => readonly Entry[]

/** Lists the paths of all values except the root. */
export function listPaths(value: unknown, path: ValuePath = []): ValuePath[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = [...path, name]
    return [inner, ...listPaths(member, inner)]
  })
}

/** Writes a value as JSON with changed entries, which allows texts that no object represents: repeated names. */
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
