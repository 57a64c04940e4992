import { printMessage } from '../cli/print-message.ts'
import { closeProgress } from '../cli/progress.ts'
import { StartError } from '../cli/start-error.ts'
import { lastLines } from './last-lines.ts'
import type { ManagedProcess } from './start-supervisor.ts'

/** The processes that a command has started, and the reason to stop them. */
export interface ProcessGroup {
  /** Aborted when everything has to stop: on a signal, or because a server ended. */
  readonly signal: AbortSignal
  /** Stops this server at the end, before those added earlier; if it ends unexpectedly, everything stops. */
  add<P extends ManagedProcess>(name: string, log: string, server: P): P
  /** Resolves when a signal asks to stop. */
  untilInterrupted(): Promise<void>
  /** Runs `work`, then stops all added servers; returns the exit code. */
  run(work: () => Promise<void>): Promise<number>
}

class Interrupted extends Error {
  override name = 'Interrupted'
}

/** Handles SIGINT, SIGTERM and SIGHUP. The second signal kills all servers without waiting. */
export function startProcessGroup(): ProcessGroup {
  const controller = new AbortController()
  const { signal } = controller
  const servers: { name: string; server: ManagedProcess }[] = []
  let stopping = false

  const interrupt = () => {
    if (!signal.aborted && !stopping) return controller.abort(new Interrupted())
    printMessage('Stopping immediately')
    void Promise.all(servers.map(({ server }) => server.kill())).finally(() => process.exit(130))
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
  // the reader of the output, such as `head`, closed the pipe
  for (const output of [process.stdout, process.stderr])
    output.on('error', () => controller.abort(new Interrupted()))

  return {
    signal,
    add(name, log, server) {
      servers.push({ name, server })
      void server.ended.then((how) => {
        if (!stopping) controller.abort(new StartError(`${name} ${how}.\n${lastLines(log)}`))
      })
      return server
    },
    async untilInterrupted() {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      if (!(signal.reason instanceof Interrupted)) throw signal.reason
    },
    async run(work) {
      const exitCode = await work().then(
        () => 0,
        (error: unknown) => {
          closeProgress()
          // an error after the abort is only a consequence of it
          const cause = signal.aborted ? signal.reason : error
          if (cause instanceof Interrupted) return 130
          printMessage(cause instanceof StartError ? cause.message : `Failed: ${describe(cause)}`)
          return 1
        },
      )
      stopping = true
      for (const { name, server } of servers.toReversed()) {
        printMessage(`Stopping ${name}`)
        await server.stop()
      }
      return exitCode
    },
  }
}

/** Joins the messages of an error and its causes, because "fetch failed" alone does not explain anything. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const message = error.message || error.name
  return error.cause === undefined ? message : `${message}: ${describe(error.cause)}`
}
