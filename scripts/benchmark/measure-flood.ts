import type { Bench } from './bench.ts'
import { expectAllAccepted, expectNoFailure } from './expect-all-accepted.ts'
import type { System } from './open-system.ts'

/** One subscription floods on 256 connections; another uploads one dataset after the other. */
export async function measureFlood(bench: Bench, system: System): Promise<void> {
  const { samples, load, files, plan, printProgress } = bench
  const { port, tenant, rival } = system
  await system.pause()
  await system.reset()
  const alone = { kind: 'closed', connections: 1, ms: plan.floodMs, pauseMs: 20 } as const
  const single = { port, requests: system.uploads(files.typical, 'single', rival), pace: alone }
  const flood = {
    port,
    requests: system.uploads(files.typical, 'flood', tenant),
    pace: { kind: 'closed', connections: 256, ms: plan.floodMs } as const,
  }
  const [flooded, starved] = await load.runTogether([flood, single])
  if (!flooded || !starved) throw new Error('A load gave no result')
  expectNoFailure(system.name, starved)
  await expectAllAccepted(system, flooded, { others: starved.ok })
  samples.add(`flood ${system.name}: p50Ms`, flooded.p50Ms)
  samples.add(`flood ${system.name}: singleP50Ms`, starved.p50Ms)
  samples.add(`flood ${system.name}: singleP99Ms`, starved.p99Ms)
  printProgress(
    `flood ${system.name}: a single uploader's p50 ${starved.p50Ms.toFixed(1)} ms, p99 ${starved.p99Ms.toFixed(1)} ms`,
  )
}
