import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Returns the output and exit code of a command after it ends. It may end without reading its input. */
export async function readToEnd(
  child: ChildProcessWithoutNullStreams,
  input = '',
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}
