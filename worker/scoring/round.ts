/** Rounds to a whole number; Math.round rounds halves up, -2.5 to -2. Never -0. */
export const ROUND = {
  halfAwayFromZero: (value: number): number => Math.sign(value) * Math.round(Math.abs(value)) + 0,
  halfEven(value: number): number {
    const below = Math.floor(value)
    const rest = value - below
    if (rest !== 0.5) return Math.round(value) + 0
    return (below % 2 === 0 ? below : below + 1) + 0
  },
} as const

/** Rounds a probability to the 4 decimals that are returned. */
export const roundProbability = (probability: number): number => Math.round(probability * 1e4) / 1e4
