/** Processes inputs sequentially and posts a report at the end; the counter shows the progress if it hangs. */

import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import fc from 'fast-check'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { arbitraryInput } from './arbitrary-inputs.ts'
import type { Input } from './input.ts'
import { LARGEST_INPUTS } from './largest-inputs.ts'
import { processBlob } from './process-blob.ts'

export interface FuzzTask {
  readonly seed: number
  readonly runs: number
  /** Number of the largest inputs, which come first. */
  readonly largest: number
  /** Limit of CPU time per input. */
  readonly maxMs: number
  readonly counter: SharedArrayBuffer
}

export interface FuzzReport {
  readonly tried: number
  /** Number of inputs by outcome: an error code, or `insight`. */
  readonly outcomes: Record<string, number>
  readonly slowest: { readonly ms: number; readonly recipe: string }
  readonly peakRssBytes: number
}

const { seed, runs, largest: giants, maxMs, counter } = workerData as FuzzTask
const progress = new Int32Array(counter)
const ends: Record<string, number> = {}
let slowest = { ms: 0, recipe: '' }
let peakRssBytes = 0

async function tryOne(input: Input): Promise<void> {
  await setImmediate() // yields to the event loop, as a worker does: zlib then frees the memory of failed calls
  const tried = Atomics.add(progress, 0, 1)
  const blob = input.make()
  // excludes the memory of earlier inputs: after each of the largest inputs, and after every 100 others
  if (tried < giants || tried % 100 === 0) collectGarbage()
  const before = process.threadCpuUsage()
  const end = processBlob(blob)
  const { user, system } = process.threadCpuUsage(before)
  const ms = (user + system) / 1_000
  ends[end] = (ends[end] ?? 0) + 1
  if (ms > slowest.ms) slowest = { ms, recipe: fc.stringify(input) }
  peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss())
  if (ms > maxMs) throw new Error(`An input took ${Math.round(ms)} ms`)
}

await fc.assert(fc.asyncProperty(arbitraryInput, tryOne), {
  seed,
  numRuns: runs + giants,
  examples: LARGEST_INPUTS.slice(0, giants).map((giant) => [giant]),
})
const report: FuzzReport = { tried: progress[0] ?? 0, outcomes: ends, slowest, peakRssBytes }
parentPort?.postMessage(report)
