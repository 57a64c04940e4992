import type { CaptureSize } from '../captures/size.ts'
import { type Bench, rotate } from './bench.ts'
import { expectAllAccepted } from './expect-all-accepted.ts'
import type { LoadResult } from './load/load-plan.ts'
import { startCpu } from './measure-cpu.ts'
import type { System } from './open-system.ts'
import { readCpuMs } from './peak-memory.ts'

/** Number of connections for the targets. */
export const CONNECTIONS = 64

export interface AcceptOptions {
  readonly size: CaptureSize
  readonly connections: number
  readonly ms: number
}

/** Sends uploads in a closed loop on these connections, with workers paused. */
export async function measureAccept(bench: Bench, system: System, options: AcceptOptions): Promise<void> {
  const { samples, load, files } = bench
  const { size, connections, ms } = options
  await system.pause()
  await system.reset()
  const cpuBefore = readCpuMs(`${system.name}-web`)
  const addCpu = startCpu(bench, `${system.name}-web`)
  const result = await load.run({
    port: system.port,
    requests: system.uploads(files[size], 'accept'),
    pace: { kind: 'closed', connections, ms },
  })
  addCpu(`accept ${system.name} ${size} ${connections}`, result.ok)
  const webCores = (readCpuMs(`${system.name}-web`) - cpuBefore) / result.ms
  await expectAllAccepted(system, result)
  note(bench, `accept ${system.name} ${size} ${connections}`, result)
  samples.add(`accept ${system.name} ${size} ${connections}: webCores`, webCores)
}

/** Runs one round: both systems, Koa alone and `\copy`, one after the other. */
export async function measureAcceptRound(bench: Bench, round: number): Promise<void> {
  const { plan, systems, samples, copy } = bench
  const options = { size: 'typical', connections: CONNECTIONS, ms: plan.acceptMs } as const
  const turns = [
    ...systems.map((system) => () => measureAccept(bench, system, options)),
    () => measureKoa(bench, options),
    async () => {
      if (!copy) return
      for (const connections of [1, 4]) {
        const { perSecond, postgresUs } = await copy.run(connections)
        samples.add(`copy ${connections}: perSecond`, perSecond)
        samples.add(`copy ${connections}: postgresUs`, postgresUs)
        bench.printProgress(`\\copy on ${connections} connections: ${Math.round(perSecond)}/s`)
      }
    },
  ]
  for (const turn of rotate(turns, round)) await turn()
}

async function measureKoa(bench: Bench, { size, connections, ms }: AcceptOptions): Promise<void> {
  const addCpu = startCpu(bench, 'koa-web')
  const result = await bench.load.run({
    port: bench.koaPort,
    requests: { kind: 'uploads', file: bench.files[size], prefix: 'koa', key: 'none' },
    pace: { kind: 'closed', connections, ms },
  })
  addCpu(`accept koa ${size} ${connections}`, result.ok)
  note(bench, `accept koa ${size} ${connections}`, result)
}

function note({ samples, printProgress }: Bench, name: string, result: LoadResult): void {
  const perSecond = (result.ok / result.ms) * 1_000
  samples.add(`${name}: perSecond`, perSecond)
  samples.add(`${name}: p50Ms`, result.p50Ms)
  samples.add(`${name}: p99Ms`, result.p99Ms)
  samples.add(`${name}: loadCores`, result.ownCores)
  printProgress(
    `${name}: ${Math.round(perSecond)}/s, p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms` +
      (result.shed > 0 ? `, ${result.shed} shed` : ''),
  )
}
