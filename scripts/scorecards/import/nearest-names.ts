/** Returns the most similar names, most similar first, by the pairs of letters in common. */
export function nearestNames(name: string, names: readonly string[], atMost = 3): string[] {
  const wanted = pairsOf(name)
  return names
    .map((candidate) => ({ candidate, likeness: likeness(wanted, pairsOf(candidate)) }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, atMost)
    .map(({ candidate }) => candidate)
}

const pairsOf = (name: string): ReadonlySet<string> => {
  const letters = ` ${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()} `
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)))
}

/** @see Dice's coefficient */
const likeness = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  (2 * a.intersection(b).size) / Math.max(1, a.size + b.size)
