import { fork } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { StartError } from '../cli/start-error.ts'
import { lastLines } from './last-lines.ts'
import type { FromSupervisor, ToSupervisor } from './supervisor-messages.ts'

/** A server that lives no longer than this process. */
export interface ManagedProcess {
  /** What its supervisor says of it. */
  readonly details: unknown
  /** Resolves if the server ends though nobody asked it to, with the words that complete "it …". */
  readonly ended: Promise<string>
  /** Lets the server finish its work; resolves when it is gone. */
  stop(): Promise<void>
  /** Ends the server at once; resolves when it is gone. */
  kill(): Promise<void>
}

export interface SupervisorOptions {
  /** For messages: "Postgres", "web". */
  readonly name: string
  /** Everything that the server and its supervisor print; made anew. */
  readonly log: string
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
}

/**
 * Starts a supervisor (see supervisor-messages.ts) and waits until its server is ready.
 *
 * @throws StartError when the server cannot start; the signal's reason when it was aborted first. Either way nothing
 *   is left running.
 */
export async function startSupervisor(
  entry: URL,
  options: unknown,
  supervisor: SupervisorOptions,
): Promise<ManagedProcess> {
  supervisor.signal?.throwIfAborted()
  const log = openLog(supervisor.log)
  const child = fork(entry, {
    cwd: '/', // a user that a server runs as may not be allowed to enter ours
    detached: true,
    env: supervisor.env,
    execArgv: [],
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  const gone = Promise.withResolvers<void>()
  const tell = (message: ToSupervisor) => void (child.connected && child.send(message, () => undefined))
  const end = async (kind: 'stop' | 'kill') => {
    tell({ kind })
    await gone.promise
  }

  const ready = Promise.withResolvers<unknown>()
  const ended = Promise.withResolvers<string>()
  const refuse = (reason: string | undefined) =>
    ready.reject(new StartError(reason ?? `${supervisor.name} did not start.\n${lastLines(supervisor.log)}`))
  child.on('message', (message: FromSupervisor) => {
    if (message.kind === 'ready') ready.resolve(message.details)
    if (message.kind === 'refused') refuse(message.reason)
    if (message.kind === 'ended') ended.resolve(message.how)
  })
  child.on('error', (error) => {
    refuse(`${supervisor.name} did not start: ${error.message}`)
    if (child.pid === undefined) gone.resolve()
  })
  child.on('exit', (code, signal) => {
    gone.resolve()
    refuse(undefined) // has no effect once ready
    if (code !== 0) ended.resolve(`lost its supervisor, which ended by ${signal ?? `exit code ${code}`}`)
  })
  const abort = () => ready.reject(supervisor.signal?.reason)
  supervisor.signal?.addEventListener('abort', abort, { once: true })

  tell({ kind: 'start', options })
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
