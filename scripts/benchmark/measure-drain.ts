import { type Bench, rotate } from './bench.ts'
import { expectAllAccepted, expectAllReady } from './expect-all-accepted.ts'
import { CONNECTIONS } from './measure-accept.ts'
import { measureBareDataset } from './measure-bare.ts'
import { startCpu } from './measure-cpu.ts'
import type { System } from './open-system.ts'
import { readCpuMs } from './peak-memory.ts'
import { openSamples } from './samples.ts'
import { waitUntilSettled } from './wait-until-settled.ts'

/** Prefix of the datasets of the last drain, which are ready to be read. */
export const DRAINED = 'drain'

/** Measures workers on a queue that was filled while they were paused. */
async function measureDrain(bench: Bench, system: System, workers: number): Promise<void> {
  const { samples, load, files, plan } = bench
  const count = plan.drainDatasets * workers
  await system.setWorkers(workers)
  await system.pause()
  await system.reset()
  const result = await load.run({
    port: system.port,
    requests: system.uploads(files.typical, DRAINED),
    pace: { kind: 'closed', connections: CONNECTIONS, count },
  })
  await expectAllAccepted(system, result)
  const cpuBefore = readCpuMs(`${system.name}-worker`)
  const addCpu = startCpu(bench, `${system.name}-worker`)
  const startedAt = Date.now()
  await system.resume()
  const settledAt = await waitUntilSettled(system)
  addCpu(`drain ${system.name} ${workers}`, count)
  await expectAllReady(system, count)
  const after = (share: number) =>
    (settledAt[Math.ceil(settledAt.length * share) - 1] ?? Number.NaN) - startedAt
  const name = `drain ${system.name} ${workers}`
  const perSecond = (count / after(1)) * 1_000
  samples.add(`${name}: perSecond`, perSecond)
  samples.add(`${name}: p50Ms`, after(0.5))
  samples.add(`${name}: p99Ms`, after(0.99))
  samples.add(`${name}: workerCores`, (readCpuMs(`${system.name}-worker`) - cpuBefore) / after(1))
  bench.printProgress(`${name}: ${Math.round(perSecond)}/s`)
}

/** Runs one round with this number of worker processes, and decoding alone in the same number of threads. */
export async function measureDrainRound(bench: Bench, round: number, workers: number): Promise<void> {
  if (workers > 1) await warmUpDrain(bench, workers)
  const turns = [
    ...bench.systems.map((system) => () => measureDrain(bench, system, workers)),
    async () => {
      const perSecond = await bench.decode.run(workers, bench.plan.drainDatasets * workers)
      bench.samples.add(`decode ${workers}: perSecond`, perSecond)
      bench.printProgress(`decode in ${workers} threads: ${Math.round(perSecond)}/s`)
    },
  ]
  for (const turn of rotate(turns, round)) await turn()
  if (workers === 1) await measureBareDataset(bench, bench.systems[0])
}

/** Warms up new workers and discards the results. */
export async function warmUpDrain(bench: Bench, workers: number): Promise<void> {
  const plan = { ...bench.plan, drainDatasets: bench.plan.warmUpDatasets }
  const discarding = { ...bench, plan, samples: openSamples(), printProgress: () => undefined }
  for (const system of bench.systems) await measureDrain(discarding, system, workers)
}
