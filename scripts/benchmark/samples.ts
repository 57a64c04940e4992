/** Numbers measured in several rounds, by name, as in `accept inkling typical 64: perSecond`. */
export interface Samples {
  add(name: string, value: number): void
  /** One value per round, in order; none if it was not measured. */
  of(name: string): readonly number[]
  /** NaN if it was not measured. */
  median(name: string): number
  /** The quotients of two names, round by round: what disturbed both falls out. */
  ratios(name: string, by: string): readonly number[]
}

export function openSamples(): Samples {
  const samples = new Map<string, number[]>()
  const of = (name: string) => samples.get(name) ?? []
  return {
    add(name, value) {
      samples.set(name, [...of(name), value])
    },
    of,
    median: (name) => medianOf(of(name)),
    ratios: (name, by) =>
      of(name).flatMap((value, round) => {
        const other = of(by)[round]
        return other === undefined ? [] : [value / other]
      }),
  }
}

/** NaN of none. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
