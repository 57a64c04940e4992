/** The simulation of autoscaling: rules start and stop real workers during a day with bursts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { drawDays } from './autoscaling/draw-days.ts'
import { presentDays } from './autoscaling/present-days.ts'
import { RULE_NAMES, type RuleName } from './autoscaling/rules.ts'
import { runSimulation, type SimulationOutcome } from './autoscaling/run-simulation.ts'
import { DATASET_MS, PER_WORKER, SCALE } from './autoscaling/simulation-plan.ts'
import { chooseRule, summariseDay } from './autoscaling/summarise-days.ts'
import { runMeasurement } from './benchmark/run-measurement.ts'
import { parseDirectory } from './cli/parse-directory.ts'
import { describeMachine } from './reports/describe-machine.ts'
import { writeBetweenMarks } from './reports/write-between-marks.ts'

interface Flags {
  readonly json: boolean
  readonly minutes: number
  readonly only: RuleName[]
  readonly seed: string
  readonly write: boolean
  readonly data: string
}

const MARKS = {
  start: '<!-- simulated: written by `npm run simulate:autoscaling -- --write` -->',
  end: '<!-- end of simulated -->',
}

const root = join(import.meta.dirname, '..')
const ownData = join(root, '.data', 'autoscaling')

function parseMinutes(text: string): number {
  const minutes = Number(text)
  if (!(minutes >= 0.5 && minutes <= 60)) throw new InvalidArgumentError('Give 0.5 to 60 minutes.')
  return minutes
}

/** Writes the picture and, in the page about autoscaling, the table with what it was measured on. */
function write(outcome: SimulationOutcome, { seed, minutes }: Flags): void {
  writeFileSync(join(root, 'docs/autoscaling.svg'), drawDays(outcome))
  const { hardware, node } = describeMachine(root)
  const { postgres, redis } = outcome.versions
  const text = [
    `- ${hardware}; ${node}, Postgres ${postgres}, Redis ${redis}`,
    `- \`npm run simulate:autoscaling -- --write\`, ${new Date().toISOString().slice(0, 10)}, seed ${seed}, a day in ${minutes} minutes`,
    '',
    presentDays(outcome.days.map(summariseDay)),
    '',
    '![Load, running workers and age of the oldest dataset in a day with different rules](../autoscaling.svg)',
  ].join('\n')
  writeBetweenMarks(join(root, 'docs/operations/autoscaling.md'), {
    marks: MARKS,
    title: 'Autoscaling',
    text,
  })
}

const print = (text: string) => process.stdout.write(`${text}\n`)

await new Command('scripts/simulate-autoscaling')
  .description(
    'Replays a day with bursts in one installation per rule of autoscaling, each with real workers that the rule starts and stops. Compares the datasets settled in time with the worker-hours.',
  )
  .option('--json', 'print one line of JSON instead of a table', false)
  .option('--minutes <number>', 'length of the day', parseMinutes, 10)
  .addOption(
    new Option('--only <rules...>', 'only these rules').choices(RULE_NAMES).default([...RULE_NAMES], 'all'),
  )
  .option('--seed <seed>', 'seed of the uploads and their times', '1')
  .addOption(
    new Option('--write', 'also write docs/autoscaling.svg and the table of docs/operations/autoscaling.md')
      .default(false)
      .conflicts('only'),
  )
  .addOption(
    new Option('--data <directory>', 'directory for the temporary databases and the generated uploads')
      .default(ownData, '.data/autoscaling in the project')
      .argParser(parseDirectory),
  )
  .addHelpText(
    'after',
    `
The table goes to stdout, progress to stderr; Ctrl-C stops and removes everything. A worker takes one batch at a time, and a
trigger makes each dataset take ${DATASET_MS} ms more: some ${PER_WORKER} datasets a second for each worker on any machine. Times of
autoscaling are ${SCALE} times shorter than on a real day; the table has those of a real day. Other load on the machine distorts
the results.

Examples:
  npm run simulate:autoscaling -- --write
  scripts/simulate-autoscaling --minutes 2 --only drain age --json`,
  )
  .action(async (flags: Flags) => {
    const { data, minutes, only: rules, seed } = flags
    await runMeasurement({ name: 'simulate-autoscaling', data, ownData }, async (processes) => {
      const outcome = await runSimulation({ root, rules, seed, dayMs: minutes * 60_000, data }, processes)
      const summaries = outcome.days.map(summariseDay)
      print(
        flags.json
          ? JSON.stringify({ seed, minutes, rules: summaries, chosen: chooseRule(summaries)?.rule ?? null })
          : presentDays(summaries),
      )
      if (flags.write) write(outcome, flags)
    })
  })
  .parseAsync()
