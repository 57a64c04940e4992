import { type ManagedProcess, startSupervisor } from './start-supervisor.ts'

export interface CommandOptions {
  /** For messages: "web", "Redis". */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Log file of its output; truncated first. */
  readonly log: string
  /** Time to end after SIGTERM before it is killed. */
  readonly graceMs: number
  readonly signal?: AbortSignal | undefined
}

/** Starts a command that ends with this process at the latest. Does not wait until it is ready to serve. */
export function startCommand({
  name,
  env,
  log,
  signal,
  ...options
}: CommandOptions): Promise<ManagedProcess> {
  return startSupervisor(new URL('supervise-command.ts', import.meta.url), options, {
    name,
    env,
    log,
    signal,
  })
}
