import type { Bench } from './bench.ts'
import type { System } from './open-system.ts'

/** Connections of a large proxy pool: more than the limit of concurrent calls per subscription. */
const CONNECTIONS = 1_000

/** Results of uploads that arrive at a fixed rate, whether or not the system keeps up. */
export interface OfferedPoint {
  /** Uploads per second. */
  readonly offered: number
  readonly accepted: number
  readonly shed: number
  /** Time from arrival to the 200. */
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Offers uploads at multiples of the maximum accepted rate, lowest first. */
export async function measureOffered(
  bench: Bench,
  system: System,
  saturation: number,
): Promise<OfferedPoint[]> {
  const { load, files, plan, printProgress } = bench
  const points: OfferedPoint[] = []
  for (const multiple of plan.offered) {
    await system.pause()
    await system.reset()
    const offered = saturation * multiple
    const result = await load.run({
      port: system.port,
      requests: system.uploads(files.typical, 'offered'),
      pace: { kind: 'open', perSecond: offered, ms: plan.offeredMs, connections: CONNECTIONS },
    })
    const seconds = result.ms / 1_000
    const { p50Ms, p99Ms } = result
    points.push({ offered, accepted: result.ok / seconds, shed: result.shed / seconds, p50Ms, p99Ms })
    const lost = Object.values(result.failed).reduce((sum, n) => sum + n, 0)
    printProgress(
      `offered ${system.name} ${Math.round(offered)}/s: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ` +
        `${Math.round(result.ok / seconds)}/s accepted, ${result.shed} shed, ${result.unsent} unsent, ${result.unanswered} unanswered, ${lost} lost`,
    )
  }
  return points
}
