import { hash } from 'node:crypto'

/** A source of seeded randomness; the same seed and the same calls give the same values on every machine. */
export interface Random {
  /** Another source, which depends on this one's seed and the label only, not on what was drawn before. */
  fork(label: string | number): Random
  /** Uniform in [min, max); in [0, 1) by default. */
  float(min?: number, max?: number): number
  /** A uniform integer from min to max, both included. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** One item with a probability proportional to its weight; at least one weight must be positive. */
  weighted<T>(items: readonly T[], weightOf: (item: T) => number): T
  normal(mean?: number, sd?: number): number
  /** Log-normal of the given median; sigma is the standard deviation of its logarithm. */
  logNormal(median: number, sigma: number): number
  /** A version 4 UUID in lower case. */
  uuid(): string
}

/**
 * sfc32, a small fast generator of 128 bits of state, here seeded with the SHA-256 of the seed.
 *
 * @see PractRand by Chris Doty-Humphrey, https://pracrand.sourceforge.net, "sfc"
 */
export function createRandom(seed: number | string): Random {
  const digest = hash('sha256', String(seed), 'buffer')
  let a = digest.readInt32LE(0)
  let b = digest.readInt32LE(4)
  let c = digest.readInt32LE(8)
  let counter = digest.readInt32LE(12)

  const next = (): number => {
    const out = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + out
    return out >>> 0
  }
  const float = (min = 0, max = 1) => min + (next() / 0x1_0000_0000) * (max - min)
  const int = (min: number, max: number) => min + Math.floor(float() * (max - min + 1))
  // Box-Muller; 1 - float() is never 0, so the logarithm is finite.
  const normal = (mean = 0, sd = 1) =>
    mean + sd * Math.sqrt(-2 * Math.log(1 - float())) * Math.cos(2 * Math.PI * float())

  return {
    fork: (label) => createRandom(`${seed}/${label}`),
    float,
    int,
    chance: (probability) => float() < probability,
    pick: (items) => at(items, int(0, items.length - 1)),
    weighted(items, weightOf) {
      let rest = float() * items.reduce((sum, item) => sum + weightOf(item), 0)
      for (const item of items) {
        rest -= weightOf(item)
        if (rest < 0) return item
      }
      return at(items, items.length - 1)
    },
    normal,
    logNormal: (median, sigma) => median * Math.exp(normal(0, sigma)),
    uuid() {
      const words = [next(), next(), next(), next()].map((word) => word.toString(16).padStart(8, '0'))
      const hex = words.join('')
      const variant = '89ab'.charAt(next() & 3)
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
    },
  }
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index]
  if (item === undefined) throw new RangeError('cannot pick from an empty list')
  return item
}
