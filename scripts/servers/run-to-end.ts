import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer, text } from 'node:stream/consumers'

/**
 * Runs a command and returns its stdout.
 *
 * @throws Error with its stderr, or its stdout if that is empty, when it fails.
 */
export async function runToEnd(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; stdin?: string; signal: AbortSignal },
): Promise<string> {
  const { stdin = '', ...spawnOptions } = options
  const child = spawn(command, args, spawnOptions)
  child.stdin.on('error', () => undefined) // the command may exit without reading its input
  child.stdin.end(stdin)
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    buffer(child.stderr),
    once(child, 'close'),
  ])
  if (exitCode === 0) return stdout
  throw new Error(stderr.toString().trim() || stdout.trim() || `${command} failed with exit code ${exitCode}`)
}
