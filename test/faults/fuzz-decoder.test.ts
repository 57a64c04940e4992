import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { recordResult } from '../support/faults/record-result.ts'
import { byLength } from '../support/faults/run-length.ts'
import type { FuzzReport, FuzzTask } from './fuzz/fuzz-thread.ts'
import { LARGEST_INPUTS } from './fuzz/largest-inputs.ts'
import { ERROR_CODES } from './fuzz/process-blob.ts'

const RUNS = byLength({ short: 2_000, long: 100_000 })
const LARGEST_COUNT = byLength({ short: 14, long: LARGEST_INPUTS.length })
const MAX_MS = 1_000
/** JavaScript heap limit for any input; V8 ends a thread that exceeds it. */
const HEAP_MIB = 256
const MAX_GROWN_BYTES = 768 * 1024 * 1024
/** An input without progress for this long counts as hanging, even on a busy machine. */
const HANG_MS = 60_000

/** Processes inputs in a separate thread that can be terminated. @throws if it hangs or an input causes a failure. */
async function fuzz(seed: number): Promise<FuzzReport> {
  const counter = new SharedArrayBuffer(4)
  const progress = new Int32Array(counter)
  const workerData: FuzzTask = { seed, runs: RUNS, largest: LARGEST_COUNT, maxMs: MAX_MS, counter }
  const thread = new Worker(new URL('./fuzz/fuzz-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  })
  const reported = new Promise<FuzzReport>((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
  })
  const ended = new AbortController()
  const watch = async (): Promise<never> => {
    for (let seen = -1; ; seen = Atomics.load(progress, 0)) {
      await delay(HANG_MS, undefined, { signal: ended.signal })
      if (seen === Atomics.load(progress, 0)) throw new Error(`Input ${seen} of seed ${seed} hangs`)
    }
  }
  try {
    return await Promise.race([reported, watch()])
  } catch (error) {
    throw new Error(`At input ${Atomics.load(progress, 0)}; repeat with FUZZ_SEED=${seed}`, { cause: error })
  } finally {
    ended.abort()
    await thread.terminate()
  }
}

test('every blob gives an insight or an error code, within a second and bounded memory', {
  timeout: byLength({ short: 300_000, long: 7_200_000 }),
}, async () => {
  const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))
  const before = process.memoryUsage.rss()
  const { tried, outcomes: ends, slowest, peakRssBytes } = await fuzz(seed)
  const grownMiB = Math.round((peakRssBytes - before) / 1024 / 1024)
  process.stdout.write(
    `fuzzed ${tried} inputs with FUZZ_SEED=${seed}: slowest ${Math.round(slowest.ms)} ms of CPU (${slowest.recipe}), ` +
      `${grownMiB} MiB grown, ends ${JSON.stringify(ends)}\n`,
  )
  recordResult({ fault: 'decoder fuzzed', inputs: tried, lost: 0 })
  expect(tried).toBeGreaterThan(RUNS)
  expect(peakRssBytes - before).toBeLessThan(MAX_GROWN_BYTES)
  // otherwise the inputs would not reach all checks
  expect(Object.keys(ends).length).toBeGreaterThan(ERROR_CODES.length - 2)
  expect(ends.insight).toBeGreaterThan(tried / 50)
})
