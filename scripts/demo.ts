/** The demo: runs the whole service on this machine with the commands of the Procfile. */
import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { parseDirectory } from './cli/parse-directory.ts'
import { type DemoOptions, runDemo } from './demo-steps/run-demo.ts'
import { startProcessGroup } from './servers/process-group.ts'

const root = join(import.meta.dirname, '..')

const wholeNumber = (from: number, to: number) => (text: string) => {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= from && value <= to) return value
  throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`)
}

await new Command('scripts/demo')
  .description('Runs Inkling on this machine: Postgres, the web and worker processes, and sample uploads.')
  .option('--once', 'exit after the insight instead of staying up', false)
  .option('--count <number>', 'number of datasets to upload', wholeNumber(1, 10_000), 200)
  .option('--port <number>', 'port of the API', wholeNumber(1, 65_535), 3000)
  .addOption(
    new Option('--redis [url]', 'use this Redis server for the queue, or one that the demo starts').default(
      false,
      'the queue is in Postgres',
    ),
  )
  .addOption(
    new Option('--data <directory>', 'data directory, kept between runs: new, empty, or from an earlier run')
      .default(join(root, '.data'), '.data in the project')
      .argParser(parseDirectory),
  )
  .option('--fresh', 'delete the data of earlier runs first', false)
  .addHelpText(
    'after',
    `
Ctrl-C stops everything; a second one does not wait for work in progress. The next run continues with the stored data.

Examples:
  scripts/demo
  scripts/demo --once --count 1000 --redis
  scripts/demo --port 3001 --data /tmp/another-demo
  scripts/demo --fresh`,
  )
  .action(async (options: Omit<DemoOptions, 'root'>) => {
    const processes = startProcessGroup()
    process.exit(await processes.run(() => runDemo({ root, ...options }, processes)))
  })
  .parseAsync()
