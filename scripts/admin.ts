import { CommanderError } from 'commander'
import { explainError } from './admin-commands/explain-error.ts'
import { declareAdmin } from './admin-commands/program.ts'
import { WrongUsage } from './admin-commands/refusal.ts'
import { endWithReader } from './end-with-reader.ts'

endWithReader()

const WRONG_USAGE = 2

try {
  await declareAdmin().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE // commander has written its message
  } else {
    process.stderr.write(`${explainError(error)}\n`)
    process.exitCode = error instanceof WrongUsage ? WRONG_USAGE : 1
  }
}
