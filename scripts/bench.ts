/** The benchmark: the processes of the Procfile on a real Postgres and Redis, compared with a textbook implementation and a ceiling. */
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { FULL_PLAN, QUICK_PLAN } from './benchmark/bench-plan.ts'
import { GROWTH_PLAN, GROWTH_SIZES, QUICK_GROWTH_PLAN } from './benchmark/growth/growth-plan.ts'
import { parseSizes } from './benchmark/growth/parse-sizes.ts'
import { presentGrowthTables, summariseGrowth } from './benchmark/growth/present-growth.ts'
import { runGrowth } from './benchmark/growth/run-growth.ts'
import { writeGrowth } from './benchmark/growth/write-growth.ts'
import { presentTable } from './benchmark/present-table.ts'
import { MEASURES, type Measure, runBenchmark } from './benchmark/run-benchmark.ts'
import { runMeasurement } from './benchmark/run-measurement.ts'
import { summariseJson } from './benchmark/summarise-json.ts'
import { writeReport } from './benchmark/write-report.ts'
import { parseDirectory } from './cli/parse-directory.ts'
import type { ProcessGroup } from './servers/process-group.ts'

interface Flags {
  readonly json: boolean
  readonly quick: boolean
  readonly write: boolean
  readonly only: Measure[]
  readonly growth: boolean
  readonly sizes: readonly number[]
  readonly seed: string
  readonly data: string
  readonly profile?: string
}

const root = join(import.meta.dirname, '..')
const ownData = join(root, '.data', 'bench')

/** Compares the service with the textbook and the ceilings. */
async function compare(flags: Flags, processes: ProcessGroup): Promise<void> {
  const { quick, only, seed, data, profile: profiles } = flags
  const plan = quick ? QUICK_PLAN : FULL_PLAN
  const outcome = await runBenchmark({ root, plan, only: new Set(only), seed, data, profiles }, processes)
  print(flags.json ? JSON.stringify(summariseJson(outcome.samples, plan)) : presentTable(outcome.samples))
  if (flags.write) writeReport(root, outcome, `npm run bench --${quick ? ' --quick' : ''} --write`)
}

/** Measures the same work beside more and more datasets. */
async function growth(flags: Flags, processes: ProcessGroup): Promise<void> {
  const { quick, sizes, seed, data } = flags
  const plan = { ...(quick ? QUICK_GROWTH_PLAN : GROWTH_PLAN), sizes }
  const outcome = await runGrowth({ root, plan, seed, data }, processes)
  print(flags.json ? JSON.stringify(summariseGrowth(outcome.points)) : presentGrowthTables(outcome.points))
  const command = ['npm run bench -- --growth', ...(quick ? ['--quick'] : []), `--sizes ${sizes}`, '--write']
  if (flags.write) writeGrowth(root, outcome, command.join(' '))
}

const print = (text: string) => process.stdout.write(`${text}\n`)

await new Command('scripts/bench')
  .description(
    'Measures accepting, draining, reading, absorbing a burst, collecting from browsers, limits and webhooks, alternating with a textbook baseline and the ceiling.',
  )
  .option('--json', 'print one line of JSON instead of a table', false)
  .option('--quick', 'shorter measurements: ends within 50 s', false)
  .addOption(
    new Option('--write', 'also write BENCHMARKS.md and its charts in docs/')
      .default(false)
      .conflicts('only'),
  )
  .addOption(
    new Option('--only <measures...>', 'only these measurements')
      .choices(MEASURES)
      .default([...MEASURES], 'all'),
  )
  .addOption(
    new Option('--growth', 'measure cost against the number of stored datasets instead')
      .default(false)
      .conflicts(['only', 'profile']),
  )
  .addOption(
    new Option('--sizes <numbers>', 'numbers of datasets of --growth, ascending, for example 100k,1m,10m')
      .default(GROWTH_SIZES, '100k,300k,1m')
      .argParser(parseSizes),
  )
  .option('--seed <seed>', 'seed of the generated captures', '1')
  .option('--profile <directory>', 'write CPU profiles of web and worker to this directory', parseDirectory)
  .addOption(
    new Option('--data <directory>', 'directory for the temporary databases and the generated uploads')
      .default(ownData, '.data/bench in the project')
      .argParser(parseDirectory),
  )
  .addHelpText(
    'after',
    `
The table goes to stdout, progress to stderr. Timings on shared machines are noisy: compare only within one run.
In the JSON, ofCeiling is the share of Koa that only reads and parses (accept), of decoding alone in one thread (drain),
and of Koa that checks the token and returns a constant (read); drain's p50Ms and p99Ms are the times at which that share
of the queue was processed.
With --growth, each size is filled into a new database with copies of rows that the service made, then the same work is
measured in it. 1 million datasets take about 12 GB and a quarter of an hour.

Examples:
  scripts/bench --quick
  scripts/bench --only read accept --json > bench.json
  npm run bench -- --quick --only drain --profile profiles
  scripts/bench --growth --sizes 100k,1m,10m --write`,
  )
  .action((flags: Flags) =>
    runMeasurement({ name: 'bench', data: flags.data, ownData }, (processes) =>
      flags.growth ? growth(flags, processes) : compare(flags, processes),
    ),
  )
  .parseAsync()
