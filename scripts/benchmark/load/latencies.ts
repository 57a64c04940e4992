/** Returns a percentile by nearest rank; NaN for no values. Sorts the values in place. */
function percentile(values: Float64Array, share: number): number {
  values.sort()
  return values[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN
}

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
    const values = this.#values.slice(0, this.#count)
    return { p50Ms: percentile(values, 0.5), p99Ms: percentile(values, 0.99), maxMs: percentile(values, 1) }
  }
}
