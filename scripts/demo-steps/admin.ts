import { join } from 'node:path'
import { runToEnd } from '../servers/run-to-end.ts'

/** Runs scripts/admin and returns the object that it prints. */
export type Admin = (args: readonly string[], stdin?: string) => Promise<unknown>

export function openAdmin(options: { root: string; env: NodeJS.ProcessEnv; signal: AbortSignal }): Admin {
  const { root, env, signal } = options
  return async (args, stdin = '') =>
    JSON.parse(await runToEnd(join(root, 'scripts', 'admin'), args, { cwd: root, env, stdin, signal }))
}
