import { createRandom } from '../captures/random.ts'
import { PER_WORKER } from './simulation-plan.ts'

/** Hours of the day, and the load then in workers; linear in between. */
const CURVE: readonly (readonly [hour: number, workers: number])[] = [
  [0, 0.2],
  [5, 0.15],
  [7, 0.5],
  [9, 1.5],
  [11, 1.9],
  [13, 1.3],
  [15, 1.8],
  [18, 2.2],
  [20, 2.8],
  [21.5, 2.4],
  [23, 0.5],
  [24, 0.2],
]

/** Uploads that come at once: how long one worker needs for them, and within how many seconds they arrive. */
const BURSTS = [
  { hour: 3, workerSeconds: 10, seconds: 2 },
  { hour: 10, workerSeconds: 20, seconds: 3 },
  { hour: 16.5, workerSeconds: 30, seconds: 10 },
]

/** Returns the load without bursts, in workers. */
export function loadAt(hour: number): number {
  const next = CURVE.findIndex(([at]) => at > hour)
  const [from, to] = [CURVE[next - 1], CURVE[next]]
  if (!from || !to) return CURVE.at(-1)?.[1] ?? 0
  return from[1] + ((hour - from[0]) / (to[0] - from[0])) * (to[1] - from[1])
}

/**
 * Returns the times of all uploads of a day in milliseconds since its begin, ascending: at random by the curve, and bursts.
 *
 * @param dayMs length of the day.
 */
export function listArrivals(seed: string, dayMs: number): number[] {
  const random = createRandom(`day ${seed}`)
  const arrivals: number[] = []
  const most = Math.max(...CURVE.map(([, workers]) => workers)) * PER_WORKER
  // those of the highest load, thinned to that of the hour
  for (let at = 0; ; ) {
    at += (-Math.log(1 - random.float()) * 1_000) / most
    if (at >= dayMs) break
    if (random.chance((loadAt((at / dayMs) * 24) * PER_WORKER) / most)) arrivals.push(at)
  }
  for (const { hour, workerSeconds, seconds } of BURSTS)
    for (let n = 0; n < workerSeconds * PER_WORKER; n++)
      arrivals.push((hour / 24) * dayMs + random.float() * seconds * 1_000)
  return arrivals.sort((a, b) => a - b)
}
