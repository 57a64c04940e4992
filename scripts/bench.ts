/** The benchmark: the processes of the Procfile on a real Postgres and Redis, compared with a textbook implementation and a ceiling. */
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { FULL_PLAN, QUICK_PLAN } from './benchmark/bench-plan.ts'
import { removeStores } from './benchmark/open-stores.ts'
import { presentTable } from './benchmark/present-table.ts'
import { MEASURES, type Measure, runBenchmark } from './benchmark/run-benchmark.ts'
import { summariseJson } from './benchmark/summarise-json.ts'
import { writeReport } from './benchmark/write-report.ts'
import { parseDirectory } from './cli/parse-directory.ts'
import { StartError } from './cli/start-error.ts'
import { claimDirectory } from './servers/claim-directory.ts'
import { startProcessGroup } from './servers/process-group.ts'

interface Flags {
  readonly json: boolean
  readonly quick: boolean
  readonly write: boolean
  readonly only: Measure[]
  readonly seed: string
  readonly data: string
  readonly profile?: string
}

const root = join(import.meta.dirname, '..')
const ownData = join(root, '.data', 'bench')

await new Command('scripts/bench')
  .description(
    'Measures accepting, draining, reading, absorbing a burst, collecting from browsers and limits, alternating with a textbook baseline and the ceiling.',
  )
  .option('--json', 'print one line of JSON instead of a table', false)
  .option('--quick', 'shorter measurements: ends within 50 s', false)
  .addOption(
    new Option('--write', 'also write BENCHMARKS.md and docs/bench-latency.svg')
      .default(false)
      .conflicts('only'),
  )
  .addOption(
    new Option('--only <measures...>', 'only these measurements')
      .choices(MEASURES)
      .default([...MEASURES], 'all'),
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

Examples:
  scripts/bench --quick
  scripts/bench --only read accept --json > bench.json
  npm run bench -- --quick --only drain --profile profiles`,
  )
  .action(async ({ json, quick, write, only, seed, data, profile }: Flags) => {
    const plan = quick ? QUICK_PLAN : FULL_PLAN
    const processes = startProcessGroup()
    let claimed = false
    const exitCode = await processes.run(async () => {
      claimDirectory(data, 'bench', () => data === ownData)
      claimed = true
      try {
        const outcome = await runBenchmark(
          { root, plan, only: new Set(only), seed, data, profiles: profile },
          processes,
        )
        process.stdout.write(
          `${json ? JSON.stringify(summariseJson(outcome.samples, plan)) : presentTable(outcome.samples)}\n`,
        )
        if (write) writeReport(root, outcome, `npm run bench --${quick ? ' --quick' : ''} --write`)
      } catch (error) {
        if (processes.signal.aborted || error instanceof StartError) throw error
        throw new StartError(`The benchmark failed: ${error instanceof Error ? error.stack : error}`)
      }
    })
    if (claimed) await removeStores(data)
    process.exit(exitCode)
  })
  .parseAsync()
