/** The demo: the whole service on this machine, from Postgres to an insight, by the commands of the Procfile. */
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
  .description(
    'Runs Inkling on this machine: a Postgres, the web and worker processes, and uploads to look at.',
  )
  .option('--once', 'end after the insight instead of staying up', false)
  .option('--count <number>', 'how many datasets to upload', wholeNumber(1, 10_000), 200)
  .option('--port <number>', 'where the API listens', wholeNumber(1, 65_535), 3000)
  .addOption(
    new Option('--redis [url]', 'put the queue on this Redis server, or on one that the demo starts').default(
      false,
      'the queue is in Postgres',
    ),
  )
  .addOption(
    new Option(
      '--data <directory>',
      'keeps everything between runs: a new or empty directory, or that of an earlier run',
    )
      .default(join(root, '.data'), '.data in the project')
      .argParser(parseDirectory),
  )
  .option('--fresh', 'delete what earlier runs kept there', false)
  .addHelpText(
    'after',
    `
Ctrl-C stops everything; a second one does not wait for work under way. The next run goes on with what this one kept.

Examples:
  scripts/demo
  scripts/demo --once --count 1000 --redis
  scripts/demo --port 3001 --data /tmp/another-demo
  scripts/demo --fresh`,
  )
  .action(async (options: Omit<DemoOptions, 'root'>) => {
    const life = startProcessGroup()
    process.exit(await life.run(() => runDemo({ root, ...options }, life)))
  })
  .parseAsync()
