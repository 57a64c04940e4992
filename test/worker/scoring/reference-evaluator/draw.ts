import fc, { type GeneratorValue } from 'fast-check'

/** Draws the parts of random models; what fails is drawn again, smaller. */
export interface Draw {
  /** From least to most, both included. */
  whole(least: number, most: number): number
  pick<T>(items: readonly T[]): T
  /** Whether something that happens to this many of a hundred does. */
  chance(percent: number): boolean
  list<T>(least: number, most: number, make: (at: number) => T): T[]
}

/** Draws by fast-check's generator. */
export function drawBy(generate: GeneratorValue): Draw {
  const whole = (min: number, max: number) => generate(fc.integer, { min, max })
  return {
    whole,
    pick: <T>(items: readonly T[]): T => {
      const at = whole(0, items.length - 1)
      if (at >= items.length) throw new Error('nothing to pick from')
      return items[at] as T
    },
    // 0 is what values shrink to: nothing happens
    chance: (percent) => whole(0, 99) >= 100 - percent,
    list: (least, most, make) => Array.from({ length: whole(least, most) }, (_, at) => make(at)),
  }
}
