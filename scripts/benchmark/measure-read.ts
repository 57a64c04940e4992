import { type Bench, rotate } from './bench.ts'
import { expectNoFailure } from './expect-all-accepted.ts'
import type { Pace, Requests } from './load/load-plan.ts'
import { CONNECTIONS } from './measure-accept.ts'
import { startCpu } from './measure-cpu.ts'
import { DRAINED } from './measure-drain.ts'
import type { System } from './open-system.ts'

/** Runs one round of reads with a known token and with new tokens; call it after a drain. */
export async function measureReadRound(bench: Bench, round: number, insightBytes: number): Promise<void> {
  const { plan, systems, koaPort } = bench
  const [{ tenant }] = systems
  const path = `/constant/${insightBytes}`
  // new tokens for each round, because a system caches those of the last one
  const unknown = (tokens: readonly string[]) =>
    tokens.slice(1 + round * plan.uncachedReads, 1 + (round + 1) * plan.uncachedReads)
  const cached: Pace = { kind: 'closed', connections: CONNECTIONS, ms: plan.readMs }
  const uncached: Pace = { kind: 'closed', connections: CONNECTIONS, count: plan.uncachedReads }
  const reads = (tokens: readonly string[], count: number): Requests => ({
    kind: 'reads',
    prefix: DRAINED,
    count,
    tokens,
  })
  const constants = (tokens: readonly string[]): Requests => ({ kind: 'get', paths: [path], tokens })

  const turns = [
    ...systems.flatMap((system) => [
      () =>
        measureReads(bench, system, 'cached', cached, (count) =>
          reads(system.tenant.tokens.slice(0, 1), count),
        ),
      () =>
        measureReads(bench, system, 'uncached', uncached, (count) =>
          reads(unknown(system.tenant.tokens), count),
        ),
    ]),
    () =>
      run(bench, 'read constant cached', koaPort, 'koa-web', constants(tenant.tokens.slice(0, 1)), cached),
    () =>
      run(bench, 'read constant uncached', koaPort, 'koa-web', constants(unknown(tenant.tokens)), uncached),
  ]
  for (const turn of rotate(turns, round)) await turn()
}

/** Also checks that each read was recorded. */
async function measureReads(
  bench: Bench,
  system: System,
  variant: 'cached' | 'uncached',
  pace: Pace,
  requests: (count: number) => Requests,
): Promise<void> {
  const before = await system.countDatasets()
  const ok = await run(
    bench,
    `read ${system.name} ${variant}`,
    system.port,
    `${system.name}-web`,
    requests(before.ready),
    pace,
  )
  const { requests: after } = await system.countDatasets()
  if (after - before.requests !== ok)
    throw new Error(`${system.name} served ${ok} reads and recorded ${after - before.requests}`)
}

async function run(
  bench: Bench,
  name: string,
  port: number,
  mark: string,
  requests: Requests,
  pace: Pace,
): Promise<number> {
  const addCpu = startCpu(bench, mark)
  const result = await bench.load.run({ port, requests, pace })
  addCpu(name, result.ok)
  expectNoFailure(name, result)
  const perSecond = (result.ok / result.ms) * 1_000
  bench.samples.add(`${name}: perSecond`, perSecond)
  bench.samples.add(`${name}: p50Ms`, result.p50Ms)
  bench.samples.add(`${name}: p99Ms`, result.p99Ms)
  bench.printProgress(`${name}: ${Math.round(perSecond)}/s, p99 ${result.p99Ms.toFixed(1)} ms`)
  return result.ok
}
