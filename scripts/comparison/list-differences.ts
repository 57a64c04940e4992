import { jsonPointer } from '../capture-check/json-pointer.ts'

/** A place at which two values differ; a side without a value there has no member. */
export interface Difference {
  /** JSON pointer, in which entries with a code have it instead of their position: `/scores/demo_mobile/value`. */
  readonly pointer: string
  readonly left?: unknown
  readonly right?: unknown
}

/** Members that name an entry of an array, so that its order does not count. */
const NAMES = ['code', 'permission']

/**
 * Lists the differences of two JSON values, by place.
 *
 * @param tolerance the largest difference of two numbers that count as equal.
 */
export function listDifferences(
  left: unknown,
  right: unknown,
  tolerance = 0,
  path: readonly string[] = [],
): Difference[] {
  const [from, to] = [membersOf(left), membersOf(right)]
  if (from && to && Array.isArray(left) === Array.isArray(right))
    return [...new Set([...from.keys(), ...to.keys()])].flatMap((name) =>
      listDifferences(from.get(name), to.get(name), tolerance, [...path, name]),
    )
  if (isEqual(left, right, tolerance)) return []
  return [
    {
      pointer: jsonPointer(path),
      ...(left !== undefined && { left }),
      ...(right !== undefined && { right }),
    },
  ]
}

function isEqual(left: unknown, right: unknown, tolerance: number): boolean {
  if (typeof left === 'number' && typeof right === 'number')
    return left === right || Math.abs(left - right) <= tolerance * (1 + Number.EPSILON * 8)
  return left === right
}

/** Returns the members of an object, or the entries of an array by their names or positions. */
function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(nameEntries(value))
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined
}

function nameEntries(list: readonly unknown[]): [string, unknown][] {
  for (const member of NAMES) {
    const names = list.map((entry) => (entry as Record<string, unknown> | null)?.[member])
    if (
      names.length > 0 &&
      names.every((name) => typeof name === 'string') &&
      new Set(names).size === list.length
    )
      return list.map((entry, at) => [String(names[at]), entry])
  }
  return list.map((entry, at) => [String(at), entry])
}
