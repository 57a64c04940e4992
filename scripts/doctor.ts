import { processIo } from './cli/command-io.ts'
import { exitOnClosedPipe } from './cli/exit-on-closed-pipe.ts'
import { runDoctor } from './installation-checks/run-doctor.ts'

exitOnClosedPipe()
console.warn = () => undefined // BullMQ repeats findings of ours
process.exitCode = await runDoctor(process.argv.slice(2), processIo())
