import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { readEnv } from '../db/runtime/env.ts'
import { exitOnClosedPipe } from './cli/exit-on-closed-pipe.ts'
import { explainError } from './cli/explain-error.ts'
import { printMessage } from './cli/print-message.ts'
import { startProgress } from './cli/progress.ts'
import { UsageError } from './cli/user-error.ts'
import { compareServices } from './comparison/compare-services.ts'
import { openComparedService } from './comparison/compared-service.ts'
import {
  addToTotals,
  presentComparison,
  presentTotals,
  type Totals,
} from './comparison/present-comparison.ts'
import { generateUploads, readUploads } from './comparison/read-uploads.ts'

exitOnClosedPipe()

interface Flags {
  left?: string
  right?: string
  generate?: number
  seed: string
  prefix?: string
  rate: number
  wait: number
  ignore: string[]
  tolerance: number
  json: boolean
}

const HELP = `
Uploads each capture to both services under the same new reference number, reads both insights by a login token, and
lists the members that differ: their JSON pointer, the left and the right value. Scores, fragments and permissions are
compared by their code or name, in any order. requestedDate, requestor and datasetInfo.uploadDate always differ and are
not compared. A file is a capture or the body of an upload, one per file or line, as for scripts/check-capture.

The credentials are in the environment: LEFT_API_KEY (role uploader), LEFT_EMAIL and LEFT_PASSWORD (a user without a
second factor), and RIGHT_API_KEY, RIGHT_EMAIL and RIGHT_PASSWORD.

The datasets stay in both services: use subscriptions for trials. Velocity counts what was uploaded before.

Exits with 0 if all insights are the same, with 1 if one differs, and with 2 if the command line or the environment is
wrong or a service cannot be called.

Examples:
  scripts/compare --left https://hosted.example --right http://localhost:3000 captures/
  scripts/compare --left https://hosted.example --right http://localhost:3000 --generate 100 --rate 5
  scripts/compare --left https://hosted.example --right http://localhost:3000 --json captures/*.json |
    jq -r '.differences[].pointer' | sort | uniq -c`

const command = new Command('scripts/compare')
  .description(
    'Compares two services: sends the same uploads to both and lists the differences of their insights.',
  )
  .argument('[file...]', 'files or folders with captures; - for stdin')
  .option('--left <url>', 'base address of the first service', parseUrl)
  .option('--right <url>', 'base address of the second service', parseUrl)
  .option('--generate <n>', 'generate this many captures instead of reading files', parseCount)
  .option('--seed <seed>', 'seed of the generated captures', '1')
  .option('--prefix <text>', 'beginning of the reference numbers; by default compare- and the time')
  .option('--rate <n>', 'uploads a second, at most', parseNumber(0.01, 100), 2)
  .option('--wait <seconds>', 'how long to wait for an insight that is not ready', parseNumber(0, 3_600), 60)
  .addOption(
    new Option('--ignore <pointer>', 'do not compare this member and those below it; repeatable')
      .argParser(collect)
      .default([], 'none'),
  )
  .option('--tolerance <n>', 'largest difference of numbers that count as equal', parseNumber(0, 1_000), 0)
  .option('--json', 'one JSON object per upload', false)
  .addHelpText('after', HELP)
  .exitOverride()

function parseUrl(text: string): string {
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('Give a URL that starts with https:// or http://.')
  return text
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1 to 99999.')
  return Number(text)
}

function parseNumber(from: number, to: number) {
  return (text: string): number => {
    const value = Number(text)
    if (text.trim() === '' || !(value >= from && value <= to))
      throw new InvalidArgumentError(`Give a number from ${from} to ${to}.`)
    return value
  }
}

function collect(pointer: string, before: readonly string[]): string[] {
  if (!pointer.startsWith('/')) throw new InvalidArgumentError('Give a JSON pointer, such as /scores.')
  return [...before, pointer]
}

const text = z.string().min(1)
const Credentials = z.object({
  LEFT_API_KEY: text,
  LEFT_EMAIL: text,
  LEFT_PASSWORD: text,
  RIGHT_API_KEY: text,
  RIGHT_EMAIL: text,
  RIGHT_PASSWORD: text,
})

async function compare(files: readonly string[], flags: Flags): Promise<void> {
  const {
    left,
    right,
    generate,
    seed,
    prefix = `compare-${Date.now().toString(36)}`,
    rate,
    wait,
    ignore,
    tolerance,
    json,
  } = flags
  if (left === undefined || right === undefined)
    throw new UsageError('Add --left and --right with the base addresses of the two services')
  if ((generate === undefined) === (files.length === 0))
    throw new UsageError('Name files with captures, or add --generate with a number')
  const env = readEnv(Credentials, process.env)
  const uploads = generate === undefined ? await readUploads(files) : generateUploads(generate, seed)
  if (uploads.length === 0) throw new UsageError('The folders have no captures')
  const services = await Promise.all([
    openComparedService(
      'left',
      { baseUrl: left, apiKey: env.LEFT_API_KEY, email: env.LEFT_EMAIL, password: env.LEFT_PASSWORD },
      wait * 1_000,
    ),
    openComparedService(
      'right',
      {
        baseUrl: right,
        apiKey: env.RIGHT_API_KEY,
        email: env.RIGHT_EMAIL,
        password: env.RIGHT_PASSWORD,
      },
      wait * 1_000,
    ),
  ])
  const totals: Totals = { uploads: 0, different: 0, pointers: new Map() }
  const progress = process.stdout.isTTY && !json ? undefined : startProgress('Compared', uploads.length)
  try {
    const options = { prefix, rate, ignored: ignore, tolerance }
    for await (const comparison of compareServices(uploads, services, options)) {
      addToTotals(totals, comparison)
      process.stdout.write(json ? `${JSON.stringify(comparison)}\n` : presentComparison(comparison))
      progress?.update(totals.uploads)
    }
  } catch (error) {
    progress?.abandon()
    throw error
  }
  progress?.finish()
  if (!json) process.stdout.write(presentTotals(totals))
  if (totals.different > 0) process.exitCode = 1
}

try {
  command.parse()
  await compare(command.args, command.opts<Flags>())
} catch (error) {
  process.exitCode = 2
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) process.exitCode = 0 // the help; commander has written its messages
  } else printMessage(explainError(error, process.env))
}
