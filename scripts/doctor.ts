import { processIo } from './cli/command-io.ts'
import { exitOnClosedPipe } from './cli/exit-on-closed-pipe.ts'
import { runDoctor } from './installation-checks/run-doctor.ts'

exitOnClosedPipe()
process.exitCode = await runDoctor(process.argv.slice(2), processIo())
