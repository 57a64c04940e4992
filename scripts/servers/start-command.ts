import { type ManagedProcess, startSupervisor } from './start-supervisor.ts'

export interface CommandOptions {
  /** For messages: "web", "Redis". */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Everything that it prints; made anew. */
  readonly log: string
  /** How long it may take to end after SIGTERM; then it is killed. */
  readonly graceMs: number
  readonly signal?: AbortSignal | undefined
}

/** Starts a command that lives no longer than this process; whether it is ready to serve is its caller's to find out. */
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
