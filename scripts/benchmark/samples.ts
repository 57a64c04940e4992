/** Values measured in several rounds, by name, for example `accept inkling typical 64: perSecond`. */
export interface Samples {
  add(name: string, value: number): void
  /** One value per round, in order; empty if not measured. */
  of(name: string): readonly number[]
  /** NaN if not measured. */
  median(name: string): number
  /** Ratios of two names per round, which cancel disturbances that affect both. */
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

/** Returns NaN for an empty list. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** Returns the value at a share of ascending values, by nearest rank; NaN for no values. */
export const percentileOf = (ascending: ArrayLike<number>, share: number): number =>
  ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? Number.NaN
