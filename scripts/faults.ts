/** The fault suite: kills real processes and stores, makes them unavailable and fills them up during a storm of uploads. */
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { presentFaultResults } from './fault-suite/present-results.ts'
import { runSuite } from './fault-suite/run-suite.ts'
import { describeMachine } from './reports/describe-machine.ts'
import { writeBetweenMarks } from './reports/write-between-marks.ts'

const MARKS = {
  start: '<!-- figures: written by `npm run test:faults -- --write` -->',
  end: '<!-- end of figures -->',
}

const root = join(import.meta.dirname, '..')

await new Command('scripts/faults')
  .description(
    'Runs test/faults in the long form: outages of 30 s, more kills, bigger storms. Summarises the uploads stored and lost.',
  )
  .option('--short', 'the short form, which is part of scripts/test', false)
  .addOption(
    new Option('--write', 'also write the table to RELIABILITY.md if all tests passed')
      .default(false)
      .conflicts('short'),
  )
  .argument('[filters...]', 'names of test files to run; by default all')
  .addHelpText(
    'after',
    `
The table goes to stdout, the output of Vitest to stderr. The exit code is that of the tests.

Examples:
  scripts/faults --short redis
  npm run test:faults -- kills moments
  npm run test:faults -- --write`,
  )
  .action(async (filters: string[], { short, write }: { short: boolean; write: boolean }) => {
    const { results, exitCode } = await runSuite(root, filters, short ? 'short' : 'long')
    const table = presentFaultResults(results)
    process.stdout.write(`${table}\n`)
    if (write && exitCode === 0) {
      const { hardware, node, packages } = describeMachine(root)
      const lines = [
        hardware,
        `${node}, ${packages}`,
        `\`npm run test:faults\`, ${new Date().toISOString().slice(0, 10)}`,
      ]
      const text = `${lines.map((line) => `- ${line}`).join('\n')}\n\n${table}`
      writeBetweenMarks(join(root, 'RELIABILITY.md'), { marks: MARKS, title: 'Reliability', text })
    }
    process.exitCode = exitCode
  })
  .parseAsync()
