import type { Bench } from './bench.ts'
import { expectAllAccepted, expectAllReady } from './expect-all-accepted.ts'
import type { System } from './open-system.ts'
import { readPeakMemory, resetPeakMemory } from './peak-memory.ts'
import { waitUntilSettled } from './wait-until-settled.ts'

/** Number of connections of a burst. */
const BURST_CONNECTIONS = 256

/** Measures a burst with an active worker: time to the last 200 and to the last insight. */
export async function measureAbsorb(bench: Bench, system: System): Promise<void> {
  const { samples, load, files, plan, printProgress } = bench
  const roles = ['web', 'worker'] as const
  await system.setWorkers(1)
  await system.reset()
  await system.resume()
  for (const role of roles) resetPeakMemory(`${system.name}-${role}`)
  const startedAt = Date.now()
  const result = await load.run({
    port: system.port,
    requests: system.uploads(files.typical, 'absorb'),
    pace: { kind: 'closed', connections: BURST_CONNECTIONS, count: plan.absorbDatasets },
  })
  const settledAt = await waitUntilSettled(system)
  await expectAllAccepted(system, result)
  await expectAllReady(system, plan.absorbDatasets)
  const acceptedS = result.ms / 1_000
  const drainedS = ((settledAt.at(-1) ?? Number.NaN) - startedAt) / 1_000
  samples.add(`absorb ${system.name}: acceptedS`, acceptedS)
  samples.add(`absorb ${system.name}: drainedS`, drainedS)
  samples.add(`absorb ${system.name}: p99Ms`, result.p99Ms)
  for (const role of roles)
    samples.add(`absorb ${system.name}: ${role}Mb`, readPeakMemory(`${system.name}-${role}`) ?? Number.NaN)
  printProgress(
    `absorb ${system.name}: accepted in ${acceptedS.toFixed(2)} s, last insight after ${drainedS.toFixed(2)} s`,
  )
}

/** Measures the latency for a single client: one upload at a time, then its insight, with a pause in between. */
export async function measureIdle(bench: Bench, system: System): Promise<void> {
  const { samples, load, files, plan, printProgress } = bench
  const [token] = system.tenant.tokens
  await system.setWorkers(1)
  await system.reset()
  await system.resume()
  const uploads = system.uploads(files.typical, 'idle')
  const result = await load.run({
    port: system.port,
    requests: { ...uploads, ...(uploads.kind === 'uploads' && { thenReadBy: token }) },
    pace: { kind: 'closed', connections: 1, count: plan.idleUploads, pauseMs: 20 },
  })
  await expectAllAccepted(system, result)
  await expectAllReady(system, plan.idleUploads)
  samples.add(`idle ${system.name}: p50Ms`, result.p50Ms)
  samples.add(`idle ${system.name}: p99Ms`, result.p99Ms)
  printProgress(
    `idle ${system.name}: upload to insight p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms`,
  )
}
