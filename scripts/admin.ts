import { runAdmin } from './admin-commands/run-admin.ts'
import { processIo } from './cli/command-io.ts'
import { exitOnClosedPipe } from './cli/exit-on-closed-pipe.ts'

exitOnClosedPipe()
process.exitCode = await runAdmin(process.argv.slice(2), processIo())
