import type { FromSupervisor, ToSupervisor } from './supervisor-messages.ts'

/** How a supervisor runs its server. */
export interface SupervisedServer {
  /** Resolves when the server is ready, with what the parent should know. */
  start(options: unknown): Promise<unknown>
  /** Lets the server finish its work; resolves when it is gone. */
  stop(): Promise<void>
  kill(): Promise<void>
}

/**
 * The supervisor's side of supervisor-messages.ts: does what the parent says, and stops the server when the parent is gone.
 */
export function runSupervisor(server: SupervisedServer): void {
  let ending = false
  const endBy = (work: () => Promise<void>) => {
    if (ending) return
    ending = true
    work().then(
      () => process.exit(0),
      (error) => {
        printError(error)
        process.exit(1)
      },
    )
  }

  process.on('message', (message: ToSupervisor) => {
    if (message.kind === 'start')
      server.start(message.options).then(
        (details) => tellParent({ kind: 'ready', details }),
        (error) => {
          printError(error)
          tellParent({ kind: 'refused', reason: reasonForUser(error) })
        },
      )
    if (message.kind === 'stop') endBy(server.stop)
    if (message.kind === 'kill') void server.kill().finally(() => process.exit(1))
  })
  process.on('disconnect', () => endBy(server.stop))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => endBy(server.stop))
}

/** Tells the parent that the server ended though nobody asked it to, then ends this supervisor too. */
export function reportUnexpectedEnd(how: string): void {
  tellParent({ kind: 'ended', how }, () => process.exit(0))
}

function tellParent(message: FromSupervisor, onTold: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, onTold)
}

function reasonForUser(error: unknown): string | undefined {
  return error instanceof Error && error.name === 'StartError' ? error.message : undefined
}

/** Into the server's log, which is where our output goes. */
function printError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
}
