import { CommanderError } from 'commander'
import type { CommandIo } from '../cli/command-io.ts'
import { explainError } from '../cli/explain-error.ts'
import { UsageError } from '../cli/user-error.ts'
import { declareAdmin } from './program.ts'

const WRONG_USAGE = 2

/**
 * Runs the operator's command in this process. It has closed its connections when this resolves.
 *
 * @param args arguments without the name of the command.
 * @returns the exit code: 1 for an error, 2 for invalid usage, 130 after Ctrl-C.
 */
export async function runAdmin(args: readonly string[], io: CommandIo): Promise<number> {
  const program = await declareAdmin(io, args)
  try {
    await program.parseAsync(args, { from: 'user' })
    return io.exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE // commander has written its message
    io.stderr.write(`${explainError(error, io.env)}\n`)
    return error instanceof UsageError ? WRONG_USAGE : 1
  }
}
