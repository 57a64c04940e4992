import { join } from 'node:path'
import { migrateDatabase } from '../../db/migrate-database.ts'
import { openDatabase } from '../../db/postgres/database.ts'
import { QUEUE_NAME } from '../../db/queue/job.ts'
import { findFreePort } from '../servers/find-free-port.ts'
import type { ProcessGroup } from '../servers/process-group.ts'
import { readProcfile } from '../servers/procfile.ts'
import { startCommand } from '../servers/start-command.ts'
import { waitUntilReady } from '../servers/wait-until-ready.ts'
import { type Bench, rotate } from './bench.ts'
import type { BenchPlan } from './bench-plan.ts'
import { openCopyCeiling } from './ceilings/open-copy.ts'
import { openDecodeCeiling } from './ceilings/open-decode.ts'
import { expectSameInsights } from './expect-same-insights.ts'
import { openLoad } from './load/open-load.ts'
import { measureAbsorb, measureIdle } from './measure-absorb.ts'
import { CONNECTIONS, measureAccept, measureAcceptRound } from './measure-accept.ts'
import { measureCollect } from './measure-collect.ts'
import { measureDeliver } from './measure-deliver.ts'
import { measureDrainRound, warmUpDrain } from './measure-drain.ts'
import { measureFlood } from './measure-flood.ts'
import { measureLimits } from './measure-limits.ts'
import { measureOffered, type OfferedPoint } from './measure-offered.ts'
import { measureReadRound } from './measure-read.ts'
import { measureScore } from './measure-score.ts'
import { openStores, type Stores } from './open-stores.ts'
import { openSystem, type SystemName } from './open-system.ts'
import { makeBenchSigningKey } from './open-tenant.ts'
import { openUploadBodies } from './open-upload-bodies.ts'
import { MARK, readPeakMemory, resetPeakMemory } from './peak-memory.ts'
import { findPostmaster } from './postgres-cpu.ts'
import { printElapsed } from './print-elapsed.ts'
import { openSamples, type Samples } from './samples.ts'
import { migrateTextbook } from './textbook/migrate-textbook.ts'
import { TEXTBOOK_QUEUE } from './textbook/queue.ts'

/** `score` runs in this process alone; the others measure complete systems with their stores. */
export const MEASURES = [
  'accept',
  'drain',
  'read',
  'absorb',
  'collect',
  'limits',
  'deliver',
  'score',
] as const

export type Measure = (typeof MEASURES)[number]

export interface BenchOptions {
  /** The project. */
  readonly root: string
  readonly plan: BenchPlan
  readonly only: ReadonlySet<Measure>
  readonly seed: string
  readonly data: string
  readonly profiles: string | undefined
}

export interface BenchOutcome {
  readonly samples: Samples
  /** By system; empty if the plan offers no loads. */
  readonly offered: Readonly<Record<SystemName, readonly OfferedPoint[]>>
  /** Versions of the stores; undefined if none was needed. */
  readonly versions: Stores['versions'] | undefined
}

/** Runs all measures on empty servers; `processes` stops the servers that it starts. */
export async function runBenchmark(options: BenchOptions, processes: ProcessGroup): Promise<BenchOutcome> {
  const { plan, only, data } = options
  const startedAt = performance.now()
  const samples = openSamples()
  if (only.has('score')) {
    printElapsed('Scoring alone')
    measureScore(plan.score, samples, printElapsed)
    if (only.size === 1) return { samples, offered: { inkling: [], textbook: [] }, versions: undefined }
  }
  printElapsed('Starting Postgres and Redis')
  const stores = await openStores(data, processes)
  const { bench, close } = await openBench(options, stores, samples, processes)
  const isEnough = () => performance.now() - startedAt > plan.enoughAfterMs
  try {
    printElapsed('Warming up')
    await warmUp(bench)
    printElapsed('Comparing insights')
    const insightBytes = await expectSameInsights(bench)
    for (let round = 0; round < plan.rounds && (round === 0 || !isEnough()); round++) {
      printElapsed(`Round ${round + 1} of ${plan.rounds}`)
      if (only.has('accept')) await measureAcceptRound(bench, round)
      if (only.has('drain') || only.has('read')) await measureDrainRound(bench, round, 1)
      if (only.has('read')) await measureReadRound(bench, round, insightBytes)
    }
    for (let round = 0; round < plan.extraRounds; round++) {
      printElapsed(`Further measures, round ${round + 1} of ${plan.extraRounds}`)
      const systems = rotate(bench.systems, round)
      if (only.has('absorb')) {
        for (const system of systems) await measureAbsorb(bench, system)
        for (const system of systems) await measureIdle(bench, system)
      }
      if (only.has('accept') && !isEnough()) await measureRows(bench, round)
      if (only.has('drain') && !isEnough()) await measureDrainRound(bench, round, 2)
      if (only.has('accept') && plan.floodMs > 0)
        for (const system of systems) await measureFlood(bench, system)
      if (only.has('collect') && plan.collect.browsers > 0) await measureCollect(bench, bench.systems[0])
    }
    if (only.has('limits') && (only.size === 1 || !isEnough())) await measureLimits(bench, bench.systems[0])
    if (only.has('deliver') && (only.size === 1 || !isEnough())) await measureDeliver(bench, bench.systems[0])
    const offered = only.has('accept') ? await measureBothOffered(bench) : { inkling: [], textbook: [] }
    return { samples: bench.samples, offered, versions: stores.versions }
  } finally {
    await close()
  }
}

async function openBench(
  { root, plan, seed, data, profiles }: BenchOptions,
  stores: Stores,
  samples: Samples,
  processes: ProcessGroup,
): Promise<{ bench: Bench; close: () => Promise<void> }> {
  const { signal } = processes
  printElapsed('Generating uploads, unless they exist from an earlier run')
  const bodies = (size: 'small' | 'typical' | 'large') =>
    plan.bodies[size] === 0 ? '' : openUploadBodies(data, { seed, size, count: plan.bodies[size] }, signal)
  const files = {
    typical: await bodies('typical'),
    small: await bodies('small'),
    large: await bodies('large'),
  }

  printElapsed('Starting both systems')
  const command = readProcfile(root)
  const signingKey = await makeBenchSigningKey()
  const tokens = 1 + plan.rounds * plan.uncachedReads
  const shared = { root, signingKey, tokens, logs: data }
  const textbook = (file: string) => `node scripts/benchmark/textbook/${file}.ts`
  const [inklingUrl, textbookUrl, copyUrl] = await Promise.all(
    ['inkling', 'textbook', 'copied'].map(stores.createDatabase),
  )
  const [inkling, rival] = await Promise.all([
    openSystem(
      {
        ...shared,
        name: 'inkling',
        commands: { release: command('release'), web: command('web'), worker: command('worker') },
        tables: { datasets: 'datasets', insights: 'insights', requests: 'insight_requests' },
        queue: QUEUE_NAME,
        databaseUrl: inklingUrl ?? '',
        redisUrl: stores.redisUrl(1),
        profiles,
      },
      processes,
    ),
    openSystem(
      {
        ...shared,
        name: 'textbook',
        commands: { release: command('release'), web: textbook('web'), worker: textbook('worker') },
        tables: {
          datasets: 'textbook.datasets',
          insights: 'textbook.features',
          requests: 'textbook.insight_requests',
        },
        queue: TEXTBOOK_QUEUE,
        databaseUrl: textbookUrl ?? '',
        redisUrl: stores.redisUrl(2),
        migrate: migrateTextbook,
      },
      processes,
    ),
  ])
  const koaPort = await findFreePort()
  const koaLog = join(data, 'koa.log')
  const koa = await startCommand({
    name: 'Koa',
    command: process.execPath,
    args: ['scripts/benchmark/ceilings/koa.ts'],
    cwd: root,
    env: {
      ...process.env,
      DATABASE_URL: inklingUrl,
      PORT: String(koaPort),
      TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [signingKey] }),
      [MARK]: 'koa-web',
    },
    log: koaLog,
    graceMs: 5_000,
    signal,
  })
  processes.add('Koa', koaLog, koa)
  await waitUntilReady(`http://localhost:${koaPort}`, signal)

  const copyOptions = { url: copyUrl ?? '', poolMax: 2 }
  await migrateDatabase(copyOptions)
  const copyDb = openDatabase(copyOptions)
  const postmaster = await findPostmaster(copyDb)
  const copy = await openCopyCeiling({
    db: copyDb,
    databaseUrl: copyOptions.url,
    uploads: files.typical,
    count: plan.copyRows,
    directory: data,
    postmaster,
    signal,
  })
  if (!copy) printElapsed('psql is not on the PATH: skipping \\copy')
  printElapsed('Starting the ceilings')
  const decode = await openDecodeCeiling(files.typical, { threads: 2, signal })
  const load = openLoad(signal)
  const systems = [inkling, rival] as const
  return {
    bench: {
      ...{ plan, load, systems, koaPort, copy, decode, files, samples, postmaster },
      printProgress: printElapsed,
    },
    async close() {
      load.close()
      decode.close()
      copy?.close()
      await copyDb.destroy()
      for (const system of systems) await system.close()
    },
  }
}

/** Runs every path often enough to be compiled, and discards the results. */
async function warmUp(bench: Bench): Promise<void> {
  const { plan, systems } = bench
  const discarding = { ...bench, samples: openSamples(), printProgress: () => undefined }
  for (const system of systems)
    await measureAccept(discarding, system, { size: 'typical', connections: CONNECTIONS, ms: plan.warmUpMs })
  await warmUpDrain(bench, 1)
}

async function measureRows(bench: Bench, round: number): Promise<void> {
  const { plan, systems, samples } = bench
  for (const row of plan.rows)
    for (const system of rotate(systems, round)) {
      resetPeakMemory(`${system.name}-web`)
      await measureAccept(bench, system, row)
      const peak = readPeakMemory(`${system.name}-web`) ?? Number.NaN
      samples.add(`accept ${system.name} ${row.size} ${row.connections}: webMb`, peak)
    }
}

async function measureBothOffered(bench: Bench): Promise<BenchOutcome['offered']> {
  const [inkling, textbook] = bench.systems
  const saturationOf = (name: SystemName) =>
    bench.samples.median(`accept ${name} typical ${CONNECTIONS}: perSecond`)
  return {
    inkling: await measureOffered(bench, inkling, saturationOf('inkling')),
    textbook: await measureOffered(bench, textbook, saturationOf('textbook')),
  }
}
