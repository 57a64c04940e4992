import type { Bench } from './bench.ts'
import { expectAllAccepted, expectNoFailure } from './expect-all-accepted.ts'
import type { System } from './open-system.ts'

/** Measures single uploads of one subscription while another one floods on 256 connections. */
export async function measureFlood(bench: Bench, system: System): Promise<void> {
  const { samples, load, files, plan, printProgress } = bench
  const { port, tenant, rival } = system
  await system.pause()
  await system.reset()
  const alone = { kind: 'closed', connections: 1, ms: plan.floodMs, pauseMs: 20 } as const
  const trickle = { port, requests: system.uploads(files.typical, 'single', rival), pace: alone }
  const flood = {
    port,
    requests: system.uploads(files.typical, 'flood', tenant),
    pace: { kind: 'closed', connections: 256, ms: plan.floodMs } as const,
  }
  const [flooded, single] = await load.runTogether([flood, trickle])
  if (!flooded || !single) throw new Error('A load returned no result')
  expectNoFailure(system.name, single)
  await expectAllAccepted(system, flooded, { others: single.ok })
  samples.add(`flood ${system.name}: p50Ms`, flooded.p50Ms)
  samples.add(`flood ${system.name}: singleP50Ms`, single.p50Ms)
  samples.add(`flood ${system.name}: singleP99Ms`, single.p99Ms)
  printProgress(
    `flood ${system.name}: a single uploader's p50 ${single.p50Ms.toFixed(1)} ms, p99 ${single.p99Ms.toFixed(1)} ms`,
  )
}
