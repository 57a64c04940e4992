import type { FromSupervisor, ToSupervisor } from './supervisor-messages.ts'

/** The operations of a supervised server. */
export interface SupervisedServer {
  /** Resolves when the server is ready, with details for the parent. */
  start(options: unknown): Promise<unknown>
  /** Lets the server finish its work; resolves when it has ended. */
  stop(): Promise<void>
  kill(): Promise<void>
}

/**
 * Runs the supervisor's side of supervisor-messages.ts: follows the parent's messages, and stops the server when the parent
 * exits.
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
        (details) => sendToParent({ kind: 'ready', details }),
        (error) => {
          printError(error)
          sendToParent({ kind: 'failed', reason: reasonForUser(error) })
        },
      )
    if (message.kind === 'stop') endBy(server.stop)
    if (message.kind === 'kill') void server.kill().finally(() => process.exit(1))
  })
  process.on('disconnect', () => endBy(server.stop))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => endBy(server.stop))
}

/** Reports to the parent that the server ended unexpectedly, then exits. */
export function reportUnexpectedEnd(how: string): void {
  sendToParent({ kind: 'ended', how }, () => process.exit(0))
}

function sendToParent(message: FromSupervisor, onSent: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, onSent)
}

function reasonForUser(error: unknown): string | undefined {
  return error instanceof Error && error.name === 'StartError' ? error.message : undefined
}

/** Prints to the server's log, to which stderr is redirected. */
function printError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
}
