import { Command, CommanderError, InvalidArgumentError } from 'commander'
import type { CommandIo } from '../cli/command-io.ts'
import { CHECKS } from './checks.ts'
import { openInstallation } from './installation.ts'
import { countFindings, presentChecks } from './present-checks.ts'
import { runChecks } from './run-checks.ts'

interface Flags {
  readonly web: number
  readonly worker: number
  readonly url?: URL
  readonly diskFree?: number
  readonly json: boolean
  readonly strict: boolean
}

const WRONG_USAGE = 2

const HELP = `
Reads the environment as web and worker do: run it where they run, or with their variables. It changes nothing: it writes one
object to the bucket of CAPTURE_STORE_URL, which it removes, and a key to Redis that expires within a minute. It prints no secret.

Levels: an error loses data or stops the service, now or soon; a warning should be corrected; a note needs nothing. Exits with 0 if
nothing is wrong, with 1 if there is an error or, with --strict, a warning, and with 2 if the command line is wrong.

Examples:
  scripts/doctor
  scripts/doctor --web 2 --worker 4 --disk-free 50GB
  scripts/doctor --url https://inkling.example --strict
  scripts/doctor --json | jq '.checks[] | select(.status == "error")'`

/**
 * Checks an installation and prints the result to `io.stdout`. Closes its connections within a second of the last check.
 *
 * @param args arguments without the name of the command.
 * @returns the exit code: 0, 1 for findings, 2 for invalid usage.
 */
export async function runDoctor(args: readonly string[], io: CommandIo): Promise<number> {
  const command = declareDoctor(io)
  try {
    command.parse(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : WRONG_USAGE // commander has written its message
  }
  const { json, strict, ...options } = command.opts<Flags>()
  const installation = openInstallation(io.env, options)
  try {
    const checks = await runChecks(CHECKS, installation)
    const { error: errors, warning: warnings, note: notes } = countFindings(checks)
    const isFine = errors === 0 && !(strict && warnings > 0)
    const report = { ok: isFine, errors, warnings, notes, checks }
    io.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : presentChecks(checks))
    return isFine ? 0 : 1
  } finally {
    await installation.close()
  }
}

function declareDoctor(io: CommandIo): Command {
  return new Command('scripts/doctor')
    .description(
      'Checks an installation before and after a deployment: each finding with what to do about it.',
    )
    .option(
      '--web <processes>',
      'web processes that are to run, each with WEB_CONCURRENCY processes',
      parseCount,
      1,
    )
    .option('--worker <processes>', 'worker processes that are to run', parseCount, 1)
    .option('--url <address>', 'address of a running web, which is asked for its health', parseAddress)
    .option(
      '--disk-free <size>',
      'free space of the disk of Postgres, such as 50GB, if it cannot be seen from here',
      parseSize,
    )
    .option('--json', 'one JSON object', false)
    .option('--strict', 'fail on warnings too', false)
    .allowExcessArguments(false)
    .addHelpText('after', HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
}

function parseCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number up to 9999.')
  return Number(text)
}

function parseAddress(text: string): URL {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('It must be an address such as https://inkling.example, without a user.')
  return url
}

const UNITS = ['', 'K', 'M', 'G', 'T']

/** Parses a size in units of 1,000. */
function parseSize(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?) ?([KMGT]?)i?B?$/i.exec(text) ?? []
  if (number === undefined) throw new InvalidArgumentError('It must be a size such as 50GB.')
  return Number(number) * 1_000 ** UNITS.indexOf(unit.toUpperCase())
}
