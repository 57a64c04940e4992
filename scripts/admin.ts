import { CommanderError } from 'commander'
import { declareAdmin } from './admin-commands/program.ts'
import { exitOnClosedPipe } from './cli/exit-on-closed-pipe.ts'
import { explainError } from './cli/explain-error.ts'
import { UsageError } from './cli/user-error.ts'

exitOnClosedPipe()

const WRONG_USAGE = 2

try {
  await declareAdmin().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE // commander has written its message
  } else {
    process.stderr.write(`${explainError(error)}\n`)
    process.exitCode = error instanceof UsageError ? WRONG_USAGE : 1
  }
}
