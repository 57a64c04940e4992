import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { STORES, type StoreName } from '../db/capture/store-policies.ts'
import { type CaptureReport, checkCapture } from './capture-check/check-capture.ts'
import { DECLARABLE_RULES } from './capture-check/check-stores.ts'
import { presentReport, presentTotals } from './capture-check/present-report.ts'
import { readInput } from './capture-check/read-input.ts'
import { type FoundCapture, recogniseCaptures } from './capture-check/recognise-captures.ts'
import { exitOnClosedPipe } from './cli/exit-on-closed-pipe.ts'
import { explainError } from './cli/explain-error.ts'
import { printMessage } from './cli/print-message.ts'
import { startProgress } from './cli/progress.ts'

exitOnClosedPipe()

interface Flags {
  policy: StoreName[]
  declared: string[]
  json: boolean
  details: boolean
  features: boolean
}

const HELP = `
A file is JSON, gzip, base64 of gzip (as data of an upload), the body of an upload, or one of them per line; - is stdin.
Reports errors by their place, members that are not in the format, the features that the capture gives and those that it
does not give and why, its size with advice, and what the stores of its platform restrict.

Exits with 0 if all captures are valid, with 1 if one is not or breaks a policy given by --policy, and with 2 if the command
line is wrong or a file cannot be read. Without --policy the policies are reported, but do not change the exit code.

Examples:
  npm run check:capture -- capture.json
  scripts/check-capture --policy google_play_loans --declared sms captures/*.json
  scripts/check-capture --json capture.json.gz | jq .missing
  scripts/check-capture --features capture.json > capture.features.json
  scripts/generate --count 100 |
    scripts/check-capture -`

const command = new Command('scripts/check-capture')
  .description('Checks captures of an SDK: errors, features, size, and the policies of application stores.')
  .argument('<file...>', 'files with captures; - for stdin')
  .addOption(
    new Option('--policy <profile>', `fail on what a store forbids: ${STORES.join(', ')}; repeatable`)
      .argParser(collect(STORES))
      .default([], 'none'),
  )
  .addOption(
    new Option(
      '--declared <rule>',
      `a store approved the declaration for: ${DECLARABLE_RULES.join(', ')}; repeatable`,
    )
      .argParser(collect(DECLARABLE_RULES))
      .default([], 'none'),
  )
  .option('--details', 'features and sizes of each capture, as for a single one', false)
  .addOption(new Option('--json', 'one JSON object per capture').default(false).conflicts('details'))
  .addOption(
    new Option('--features', 'only the features, as in files of expected features')
      .default(false)
      .conflicts(['details', 'json']),
  )
  .addHelpText('after', HELP)
  .exitOverride()

/** Parses a repeatable option with a closed set of values. */
function collect<Value extends string>(allowed: readonly Value[]) {
  return (text: string, before: readonly Value[]): Value[] => {
    const value = allowed.find((one) => one === text)
    if (value === undefined) throw new InvalidArgumentError(`It must be one of ${allowed.join(', ')}.`)
    return [...before, value]
  }
}

/** Files from which a progress bar is shown, unless the report goes to the same terminal. */
const MANY_FILES = 20

async function check(
  files: readonly string[],
  { policy, declared, json, details, features }: Flags,
): Promise<void> {
  const totals = { captures: 0, valid: 0, breaking: new Map<StoreName, number>() }
  const progress =
    files.length >= MANY_FILES && !process.stdout.isTTY ? startProgress('check', files.length) : undefined
  for (const [at, file] of files.entries()) {
    try {
      const found = recogniseCaptures(await readInput(file))
      let next = found.next()
      const single = files.length === 1 && next.value?.line === undefined
      for (; !next.done; next = found.next()) report(file, next.value, single)
    } catch (error) {
      printMessage(explainError(error, process.env))
      process.exitCode = 2
    }
    progress?.update(at + 1)
  }
  progress?.finish()
  if (totals.captures > 1 && !json && !features) process.stdout.write(presentTotals(totals))

  function report(file: string, found: FoundCapture, single: boolean): void {
    const name = (file === '-' ? 'stdin' : file) + (found.line === undefined ? '' : `:${found.line}`)
    const result = checkCapture(name, found, declared)
    totals.captures++
    if (result.valid) totals.valid++
    const broken = result.valid ? result.stores.filter(({ passes }) => !passes) : []
    for (const { store } of broken) totals.breaking.set(store, (totals.breaking.get(store) ?? 0) + 1)
    if (!result.valid || broken.some(({ store }) => policy.includes(store))) process.exitCode ||= 1
    if (json) process.stdout.write(`${JSON.stringify(result)}\n`)
    else if (features) printFeatures(result)
    else process.stdout.write(presentReport(result, { details: details || single }))
  }
}

function printFeatures(report: CaptureReport): void {
  if (!report.valid) printMessage(presentReport(report, { details: false }).trimEnd())
  else {
    const values = Object.fromEntries(report.features.map(({ name, value }) => [name, value]))
    process.stdout.write(`${JSON.stringify(values, null, 2)}\n`)
  }
}

try {
  command.parse()
  await check(command.args, command.opts<Flags>())
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2 // commander has written its message
}
