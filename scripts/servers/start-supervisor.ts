import { fork } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { StartError } from '../cli/start-error.ts'
import { lastLines } from './last-lines.ts'
import type { FromSupervisor, ToSupervisor } from './supervisor-messages.ts'

/** A server that ends with this process at the latest. */
export interface ManagedProcess {
  /** Details that its supervisor reported when it was ready. */
  readonly details: unknown
  /** Resolves if the server ends unexpectedly, with words that complete "it …". */
  readonly ended: Promise<string>
  /** Lets the server finish its work; resolves when it has ended. */
  stop(): Promise<void>
  /** Kills the server; resolves when it has ended. */
  kill(): Promise<void>
}

export interface SupervisorOptions {
  /** For messages: "Postgres", "web". */
  readonly name: string
  /** Log file for the output of the server and its supervisor; truncated first. */
  readonly log: string
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
}

/**
 * Starts a supervisor (see supervisor-messages.ts) and waits until its server is ready.
 *
 * @throws StartError if the server cannot start; the signal's reason if it was aborted first. In both cases nothing is
 *   left running.
 */
export async function startSupervisor(
  entry: URL,
  options: unknown,
  supervisor: SupervisorOptions,
): Promise<ManagedProcess> {
  supervisor.signal?.throwIfAborted()
  const log = openLog(supervisor.log)
  const child = fork(entry, {
    cwd: '/', // the server's user may have no access to our working directory
    detached: true,
    env: supervisor.env,
    execArgv: [],
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  const exited = Promise.withResolvers<void>()
  const send = (message: ToSupervisor) => void (child.connected && child.send(message, () => undefined))
  const end = async (kind: 'stop' | 'kill') => {
    send({ kind })
    await exited.promise
  }

  const ready = Promise.withResolvers<unknown>()
  const ended = Promise.withResolvers<string>()
  const fail = (reason: string | undefined) =>
    ready.reject(new StartError(reason ?? `${supervisor.name} did not start.\n${lastLines(supervisor.log)}`))
  child.on('message', (message: FromSupervisor) => {
    if (message.kind === 'ready') ready.resolve(message.details)
    if (message.kind === 'failed') fail(message.reason)
    if (message.kind === 'ended') ended.resolve(message.how)
  })
  child.on('error', (error) => {
    fail(`${supervisor.name} did not start: ${error.message}`)
    if (child.pid === undefined) exited.resolve()
  })
  child.on('exit', (code, signal) => {
    exited.resolve()
    fail(undefined) // has no effect once ready
    if (code !== 0) ended.resolve(`lost its supervisor (${signal ?? `exit code ${code}`})`)
  })
  const abort = () => ready.reject(supervisor.signal?.reason)
  supervisor.signal?.addEventListener('abort', abort, { once: true })

  send({ kind: 'start', options })
  try {
    const details = await ready.promise
    return { details, ended: ended.promise, stop: () => end('stop'), kill: () => end('kill') }
  } catch (error) {
    await end('kill')
    throw error
  } finally {
    supervisor.signal?.removeEventListener('abort', abort)
  }
}

function openLog(file: string): number {
  try {
    writeFileSync(file, '')
    return openSync(file, 'a')
  } catch (cause) {
    throw new StartError(`Cannot write ${file}: ${(cause as Error).message}`, { cause })
  }
}
