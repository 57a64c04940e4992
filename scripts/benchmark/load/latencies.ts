import { percentileOf } from '../samples.ts'

/** Collects latencies in a typed array instead of a list of objects. */
export class Latencies {
  #values = new Float64Array(4_096)
  #count = 0

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#count++] = ms
  }

  summarise(): { p50Ms: number; p99Ms: number; maxMs: number } {
    const values = this.#values.slice(0, this.#count).sort()
    return {
      p50Ms: percentileOf(values, 0.5),
      p99Ms: percentileOf(values, 0.99),
      maxMs: percentileOf(values, 1),
    }
  }
}
