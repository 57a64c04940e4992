/** Supervises a command, such as a process of the Procfile or redis-server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { z } from 'zod'
import { StartError } from '../cli/start-error.ts'
import { reportUnexpectedEnd, runSupervisor } from './run-supervisor.ts'

const Options = z.object({
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  /** Time to end after SIGTERM before it is killed. */
  graceMs: z.number(),
})

let child: ChildProcess | undefined
let stopping = false
let graceMs = 0

runSupervisor({
  async start(input) {
    const options = Options.parse(input)
    graceMs = options.graceMs
    child = spawn(options.command, options.args, {
      cwd: options.cwd,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    child.on('exit', (code, signal) => {
      if (!stopping)
        reportUnexpectedEnd(signal ? `was terminated by ${signal}` : `ended with exit code ${code}`)
    })
    await once(child, 'spawn').catch((error: unknown) => {
      throw new StartError(
        `${options.command} did not start: ${error instanceof Error ? error.message : error}`,
      )
    })
  },

  async stop() {
    stopping = true
    if (!child || child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    child.kill('SIGTERM')
    const timer = setTimeout(killGroup, graceMs)
    await once(child, 'exit')
    clearTimeout(timer)
  },

  async kill() {
    killGroup()
  },
})

/** Kills the process group that this supervisor leads: itself, the command, and everything that the command started. */
function killGroup(): never {
  process.kill(-process.pid, 'SIGKILL')
  process.exit(1)
}
