import fc, { type GeneratorValue } from 'fast-check'

/** Draws the parts of random models; failures are shrunk. */
export interface Draw {
  /** Draws a whole number from least to most, inclusive. */
  whole(least: number, most: number): number
  pick<T>(items: readonly T[]): T
  /** Returns true with a probability of `percent` %. */
  chance(percent: number): boolean
  list<T>(least: number, most: number, make: (at: number) => T): T[]
}

/** Draws with fast-check's generator. */
export function drawBy(generate: GeneratorValue): Draw {
  const whole = (min: number, max: number) => generate(fc.integer, { min, max })
  return {
    whole,
    pick: <T>(items: readonly T[]): T => {
      const at = whole(0, items.length - 1)
      if (at >= items.length) throw new Error('nothing to pick from')
      return items[at] as T
    },
    // values shrink to 0, which gives false
    chance: (percent) => whole(0, 99) >= 100 - percent,
    list: (least, most, make) => Array.from({ length: whole(least, most) }, (_, at) => make(at)),
  }
}
