import { setTimeout as delay } from 'node:timers/promises'
import { openStores } from '../benchmark/open-stores.ts'
import { makeBenchSigningKey } from '../benchmark/open-tenant.ts'
import { openUploadBodies } from '../benchmark/open-upload-bodies.ts'
import { printElapsed } from '../benchmark/print-elapsed.ts'
import type { ProcessGroup } from '../servers/process-group.ts'
import { listArrivals, loadAt } from './day.ts'
import { type Installation, openInstallation } from './open-installation.ts'
import { RULES, type Rule, type RuleName } from './rules.ts'
import { sendDay } from './send-day.ts'
import { POLL_SECONDS, SCALE_DOWN, scaled, WORKERS } from './simulation-plan.ts'
import { openStabiliser } from './stabilise.ts'

/** Time for the last datasets after the end of the day. */
const PATIENCE_MS = 120_000

/** Values that were observed at a time of the day. */
export interface Look {
  /** 0 to 24. */
  readonly hour: number
  readonly running: number
  /** Shortened, as the simulation is. */
  readonly oldestSeconds: number
  readonly waitSeconds: number
}

/** The day of a rule. */
export interface RuleDay {
  readonly name: RuleName
  readonly looks: readonly Look[]
  /** Seconds until each dataset was settled, ascending; shortened, as the simulation is. */
  readonly settledSeconds: readonly number[]
  /** Datasets that were not settled in the end. */
  readonly unsettled: number
  readonly workersStarted: number
  /** Of a day of 24 hours. */
  readonly workerHours: number
}

export interface SimulationOutcome {
  /** Times of the uploads, in hours of the day. */
  readonly arrivals: readonly number[]
  readonly dayMs: number
  readonly days: readonly RuleDay[]
  readonly versions: { readonly postgres: string; readonly redis: string }
}

export interface SimulationOptions {
  readonly root: string
  readonly rules: readonly RuleName[]
  readonly seed: string
  readonly dayMs: number
  readonly data: string
}

/** Replays one day in several installations at once, each with the workers that its rule desires. */
export async function runSimulation(
  { root, rules, seed, dayMs, data }: SimulationOptions,
  processes: ProcessGroup,
): Promise<SimulationOutcome> {
  const { signal } = processes
  printElapsed('Starting Postgres and Redis')
  const stores = await openStores(data, processes)
  printElapsed('Generating uploads, unless they exist from an earlier run')
  const arrivals = listArrivals(seed, dayMs)
  // a capture each: batches with the same devices would wait for each other's counters while the trigger sleeps
  const file = await openUploadBodies(data, { seed, size: 'small', count: arrivals.length }, signal)
  const signingKey = await makeBenchSigningKey()
  const installations: { rule: Rule; installation: Installation }[] = []
  try {
    for (const [n, name] of rules.entries()) {
      printElapsed(`Starting the installation of the rule ${name}`)
      const options = {
        ...{ root, name, signingKey, logs: data },
        databaseUrl: await stores.createDatabase(name),
        redisUrl: stores.redisUrl(n + 1),
      }
      installations.push({ rule: RULES[name], installation: await openInstallation(options, processes) })
    }
    for (const { installation } of installations) {
      installation.workers.scale(WORKERS.min)
      await installation.workers.untilRunning(WORKERS.min)
    }
    printElapsed(`Sending ${arrivals.length} uploads to each in ${Math.round(dayMs / 1_000)} s`)
    const startedAt = performance.now()
    const clock = { startedAt, dayMs, signal }
    const [days] = await Promise.all([
      Promise.all(installations.map(({ rule, installation }) => replay(rule, installation, clock))),
      sendDay(
        installations.map(({ installation }) => installation),
        { arrivals, dayMs, file },
        signal,
      ),
      printLoad(installations, clock),
    ])
    return { arrivals: arrivals.map((at) => (at / dayMs) * 24), dayMs, days, versions: stores.versions }
  } finally {
    await Promise.all(installations.map(({ installation }) => installation.close()))
  }
}

interface Clock {
  readonly startedAt: number
  readonly dayMs: number
  readonly signal: AbortSignal
}

/** Asks for the load and scales the workers, until the day has ended and its datasets are settled. */
async function replay(
  rule: Rule,
  installation: Installation,
  { startedAt, dayMs, signal }: Clock,
): Promise<RuleDay> {
  const { workers } = installation
  const stabilise = openStabiliser({
    ...WORKERS,
    holdMs: scaled(SCALE_DOWN.holdSeconds) * 1_000,
    stepMs: scaled(SCALE_DOWN.stepSeconds) * 1_000,
  })
  const looks: Look[] = []
  const before = workers.measure()
  let measured: ReturnType<typeof workers.measure> | undefined
  for (;;) {
    const at = performance.now() - startedAt
    if (at >= dayMs) measured ??= workers.measure()
    if (at >= dayMs && ((await installation.countWaiting()) === 0 || at > dayMs + PATIENCE_MS)) break
    const load = await installation.readLoad()
    if (load) {
      const hour = Math.min(24, (at / dayMs) * 24)
      const running = workers.countRunning()
      workers.scale(stabilise(at, rule.desire({ hour, running, ...load })))
      const { waitSeconds, oldestSeconds } = load
      if (at < dayMs) looks.push({ hour, running, oldestSeconds, waitSeconds })
    }
    await delay(scaled(POLL_SECONDS) * 1_000, undefined, { signal })
  }
  return {
    name: rule.name,
    looks,
    settledSeconds: await installation.listSettledSeconds(),
    unsettled: await installation.countWaiting(),
    workersStarted: (measured?.started ?? 0) - before.started,
    workerHours: (((measured?.workerMs ?? 0) - before.workerMs) / dayMs) * 24,
  }
}

/** Prints a line for each two hours of the day. */
async function printLoad(
  installations: readonly { rule: Rule; installation: Installation }[],
  { startedAt, dayMs, signal }: Clock,
): Promise<void> {
  for (let hour = 2; hour <= 24; hour += 2) {
    await delay(Math.max(0, startedAt + (hour / 24) * dayMs - performance.now()), undefined, { signal })
    const workers = installations.map(
      ({ rule, installation }) => `${rule.name} ${installation.workers.countRunning()}`,
    )
    const load = loadAt(hour).toFixed(1)
    printElapsed(
      `${String(hour).padStart(2, '0')}:00  load of ${load} workers; running: ${workers.join(', ')}`,
    )
  }
}
